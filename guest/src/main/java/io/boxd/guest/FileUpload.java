package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * Content on its way into a file of a machine; only {@link #commit} makes it the file's.
 *
 * <p>For one thread. Closing without a commit leaves the file as it was, unless it was written in place.
 */
public final class FileUpload extends OutputStream {
    private final Tunnel tunnel;
    private final @Nullable GuestBytes expected;
    private final MessageDigest digest = Hashes.sha256();
    private long count;

    FileUpload(Tunnel tunnel, @Nullable GuestBytes expected) {
        this.tunnel = tunnel;
        this.expected = expected;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        tunnel.input().write(bytes, offset, length);
        digest.update(bytes, offset, length);
        count += length;
    }

    /** Ends the content and returns when it is the file's and safe on disk; how many bytes it was. */
    public long commit(Deadline deadline) {
        byte[] hash = expected == null ? digest.digest() : expected.toArray();
        try {
            tunnel.input().finish(hash);
            long written = Tasks.result(tunnel, PayloadReader::count, deadline);
            if (written != count) {
                throw new BoxdException(
                        ErrorCode.INTERNAL, "the machine has taken " + written + " of " + count + " bytes");
            }
            return written;
        } catch (IOException e) {
            throw explain(e);
        }
    }

    /** Why a write has failed, as the machine has put it. */
    public BoxdException explain(IOException failure) {
        return tunnel.explain(failure);
    }

    @Override
    public void close() {
        tunnel.close();
    }
}
