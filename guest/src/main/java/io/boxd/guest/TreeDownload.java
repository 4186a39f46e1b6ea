package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A folder on its way out of a machine, as a tar archive.
 *
 * <p>The end is reported only if the machine has packed everything. For one thread; closing it before the end
 * breaks it off.
 */
public final class TreeDownload extends InputStream {
    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    private final Tunnel tunnel;
    private @Nullable Packed packed;

    /**
     * What was packed.
     *
     * @param skipped what no archive holds: devices, pipes, sockets
     * @param changed what vanished, shrank or became something else meanwhile
     */
    public record Packed(long entries, long skipped, long changed) {}

    TreeDownload(Tunnel tunnel) {
        this.tunnel = tunnel;
    }

    /** What was packed; known once the end was read. */
    public Optional<Packed> packed() {
        return Optional.ofNullable(packed);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int count = tunnel.output().read(target, offset, length);
        if (count < 0 && packed == null) {
            packed = result();
        }
        return count;
    }

    private Packed result() throws IOException {
        try {
            PayloadReader result = tunnel.awaitDone(Deadline.in(END_LIMIT));
            Packed counts = new Packed(result.count(), result.count(), result.count());
            result.end();
            return counts;
        } catch (BoxdException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        tunnel.close();
    }
}
