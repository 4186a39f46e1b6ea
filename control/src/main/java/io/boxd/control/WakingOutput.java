package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Writes to something in a box, which is woken for that if it sleeps. */
final class WakingOutput extends FilterOutputStream {
    private final Attention attention;

    WakingOutput(OutputStream target, Attention attention) {
        super(target);
        this.attention = attention;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        wake();
        out.write(bytes, offset, length);
        attention.happened();
    }

    @Override
    public void close() throws IOException {
        wake();
        out.close();
    }

    private void wake() throws IOException {
        try {
            attention.take(Deadline.in(Limits.WAKE));
        } catch (BoxdException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
