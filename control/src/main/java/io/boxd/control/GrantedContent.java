package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Content that somebody sends, for as long as they may; closing it ends that, and leaves what it is read from open. */
final class GrantedContent extends FilterInputStream {
    private volatile boolean ended;

    GrantedContent(InputStream content) {
        super(content);
    }

    @Override
    public int read() throws IOException {
        return granted(super.read());
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        return granted(super.read(target, offset, length));
    }

    private int granted(int read) {
        if (ended) {
            throw new BoxdException(
                    ErrorCode.UNAUTHENTICATED,
                    "whoever sends this may not do so any more",
                    "Get another token: boxd login, or boxd token create.",
                    null);
        }
        return read;
    }

    @Override
    public void close() {
        ended = true;
    }
}
