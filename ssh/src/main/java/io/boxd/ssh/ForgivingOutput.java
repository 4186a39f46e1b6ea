package io.boxd.ssh;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Output that nobody may read any more; whoever writes hears of that otherwise. */
final class ForgivingOutput extends FilterOutputStream {
    private static final Logger LOG = LoggerFactory.getLogger(ForgivingOutput.class);

    ForgivingOutput(OutputStream output) {
        super(output);
    }

    @Override
    public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            LOG.debug("a screen is gone", e);
        }
    }

    @Override
    public void flush() {
        try {
            out.flush();
        } catch (IOException e) {
            LOG.debug("a screen is gone", e);
        }
    }
}
