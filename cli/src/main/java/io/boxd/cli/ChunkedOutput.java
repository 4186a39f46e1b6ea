package io.boxd.cli;

import java.io.IOException;
import java.io.OutputStream;

/** Content whose length is not known when it begins; what is not closed in order never looks complete. */
final class ChunkedOutput extends OutputStream {
    private static final int CHUNK_BYTES = 64 * 1024;

    private final OutputStream target;
    private final byte[] buffer = new byte[CHUNK_BYTES];
    private int used;

    ChunkedOutput(OutputStream target) {
        this.target = target;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int from = offset;
        int left = length;
        while (left > 0) {
            int count = Math.min(left, buffer.length - used);
            System.arraycopy(bytes, from, buffer, used, count);
            used += count;
            from += count;
            left -= count;
            if (used == buffer.length) {
                flush();
            }
        }
    }

    @Override
    public void flush() throws IOException {
        if (used > 0) {
            target.write(HttpHead.bytes(Integer.toHexString(used) + "\r\n"));
            target.write(buffer, 0, used);
            target.write(HttpHead.bytes("\r\n"));
            used = 0;
        }
    }

    /** Ends the content. Not called when something went wrong, so that the server sees it break off. */
    @Override
    public void close() throws IOException {
        flush();
        target.write(HttpHead.bytes("0\r\n\r\n"));
    }
}
