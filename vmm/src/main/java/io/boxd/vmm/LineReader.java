package io.boxd.vmm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Lines of text from a channel, none longer than a limit. */
final class LineReader {
    private final ReadableByteChannel channel;
    private final int maxBytes;
    private byte[] bytes;
    private int start;
    private int scanned;
    private int filled;

    LineReader(ReadableByteChannel channel, int maxBytes) {
        this.channel = channel;
        this.maxBytes = maxBytes;
        this.bytes = new byte[Math.min(8192, maxBytes)];
    }

    /** The next line without its end; null at the end of the stream. */
    @Nullable
    String next() throws IOException {
        while (true) {
            for (; scanned < filled; scanned++) {
                if (bytes[scanned] == '\n') {
                    return take();
                }
            }
            moveToFront();
            if (filled == maxBytes) {
                throw new IOException("a line is longer than " + maxBytes + " bytes");
            }
            if (filled == bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.min(maxBytes, bytes.length * 2));
            }
            int n = channel.read(ByteBuffer.wrap(bytes, filled, bytes.length - filled));
            if (n < 0) {
                return null;
            }
            filled += n;
        }
    }

    private String take() {
        String line = new String(bytes, start, scanned - start, StandardCharsets.UTF_8);
        scanned++;
        start = scanned;
        return line;
    }

    /** Once for each read, not for each line: a flood of short lines must not cost a copy of all behind it. */
    private void moveToFront() {
        if (start > 0) {
            System.arraycopy(bytes, start, bytes, 0, filled - start);
            filled -= start;
            scanned -= start;
            start = 0;
        }
    }
}
