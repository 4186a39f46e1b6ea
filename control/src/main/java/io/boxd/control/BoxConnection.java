package io.boxd.control;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * A connection from inside a box to wherever it was dialled, or of somebody in the box to a listener.
 *
 * <p>Each direction ends by itself. One thread may read while another writes.
 */
public interface BoxConnection extends AutoCloseable {
    /** What the other end sends. */
    InputStream input();

    /** What is sent to the other end; it leaves at once. Closing it says that no more will come. */
    OutputStream output();

    /** Cuts it in both directions. */
    @Override
    void close();
}
