package io.boxd.ssh;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Output that can be shut: what somebody says to whom nobody listens any more must not be heard. */
final class GatedOutput extends FilterOutputStream {
    private boolean shut;

    GatedOutput(OutputStream output) {
        super(output);
    }

    synchronized void shut() {
        shut = true;
    }

    @Override
    public synchronized void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        check();
        out.write(bytes, offset, length);
    }

    @Override
    public synchronized void flush() throws IOException {
        check();
        out.flush();
    }

    private void check() throws IOException {
        if (shut) {
            throw new IOException("nobody listens any more");
        }
    }
}
