package io.boxd.ssh;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Lines for a terminal that takes every byte as it is: each must also go back to the left. */
final class ScreenOutput extends FilterOutputStream {
    private byte last;

    ScreenOutput(OutputStream terminal) {
        super(terminal);
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int begun = offset;
        for (int i = offset; i < offset + length; i++) {
            if (bytes[i] == '\n' && last != '\r') {
                out.write(bytes, begun, i - begun);
                out.write('\r');
                begun = i;
            }
            last = bytes[i];
        }
        out.write(bytes, begun, offset + length - begun);
    }
}
