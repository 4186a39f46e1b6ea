package io.boxd.network;

import io.boxd.common.Deadline;
import io.boxd.linux.NetworkNamespace;
import io.boxd.linux.TunDevice;
import java.util.Arrays;
import java.util.Optional;

/** Takes a machine's place at the tap of a wire: sends any frame, and sees what arrives. */
final class TestingMachine implements AutoCloseable {
    private final TunDevice tap;

    private TestingMachine(TunDevice tap) {
        this.tap = tap;
    }

    static TestingMachine on(Wire wire) {
        TunDevice tap = NetworkNamespace.inside(
                wire.namespace(),
                () -> TunDevice.attach(wire.tap(), TunDevice.Kind.ETHERNET_FRAMES),
                Deadline.inSeconds(5));
        // Answers that come before would be lost.
        if (!wire.awaitPluggedIn(Deadline.inSeconds(5))) {
            throw new AssertionError("the tap of " + wire + " does not come up");
        }
        return new TestingMachine(tap);
    }

    void send(byte[] frame) {
        tap.write(frame);
    }

    /** The next frame that arrives, whatever it is; empty at the deadline. */
    Optional<byte[]> receive(Deadline deadline) {
        return Optional.ofNullable(tap.read(deadline));
    }

    /** The payload of the next IPv4 frame of this protocol. */
    Optional<byte[]> receiveIp(int protocol, Deadline deadline) {
        for (Optional<byte[]> frame = receive(deadline); frame.isPresent(); frame = receive(deadline)) {
            byte[] bytes = frame.get();
            if (bytes.length > 34 && bytes[12] == 8 && bytes[13] == 0 && bytes[23] == protocol) {
                return Optional.of(Arrays.copyOfRange(bytes, 14, bytes.length));
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        tap.close();
    }
}
