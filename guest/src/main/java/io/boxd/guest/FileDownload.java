package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;

/**
 * The content of a file on its way out of a machine.
 *
 * <p>The end is reported only if as many bytes, with the same hash if one was asked for, have arrived as the
 * machine has sent. For one thread; closing it before the end breaks it off.
 */
public final class FileDownload extends InputStream {
    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    private final Tunnel tunnel;
    private final FileAttributes attributes;
    private final MessageDigest digest = Hashes.sha256();
    private final boolean hashed;
    private long count;
    private boolean complete;

    FileDownload(Tunnel tunnel, FileAttributes attributes, boolean hashed) {
        this.tunnel = tunnel;
        this.attributes = attributes;
        this.hashed = hashed;
    }

    /** The file as it was when it was opened; its size may have changed since, or mean nothing at all. */
    public FileAttributes attributes() {
        return attributes;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int got = tunnel.output().read(target, offset, length);
        if (got < 0) {
            checkEnd();
            return got;
        }
        count += got;
        if (hashed) {
            digest.update(target, offset, got);
        }
        return got;
    }

    private void checkEnd() throws IOException {
        if (complete) {
            return;
        }
        PayloadReader result;
        try {
            result = tunnel.awaitDone(Deadline.in(END_LIMIT));
        } catch (BoxdException e) {
            throw new IOException(e.getMessage(), e);
        }
        long sent = result.s64();
        byte[] hash = hashed ? result.bytes(Wire.HASH_BYTES) : new byte[0];
        result.end();
        if (sent != count || (hashed && !Arrays.equals(hash, digest.digest()))) {
            throw new IOException("the file did not arrive as it was sent");
        }
        complete = true;
    }

    @Override
    public void close() {
        tunnel.close();
    }
}
