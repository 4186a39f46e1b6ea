package io.boxd.guest;

import io.boxd.common.Deadline;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * A connection from inside a machine, or of something inside it to a listener of ours.
 *
 * <p>One thread may read while another writes. Each direction ends by itself: closing the output tells the other
 * end that no more will come, and the input goes on.
 */
public final class GuestConnection implements AutoCloseable {
    private final Tunnel tunnel;

    GuestConnection(Tunnel tunnel) {
        this.tunnel = tunnel;
    }

    public InputStream input() {
        return tunnel.output();
    }

    /** Waits until something can be read or the end is known; false if the deadline came first. */
    public boolean awaitInput(Deadline deadline) {
        return tunnel.awaitOutput(deadline);
    }

    /** What is sent; it leaves at once, so collect small pieces first. */
    public OutputStream output() {
        return tunnel.input();
    }

    /** Cuts the connection in both directions. */
    @Override
    public void close() {
        tunnel.close();
    }
}
