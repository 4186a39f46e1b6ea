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
    private byte[] bytes = new byte[8192];
    private int filled;
    private int scanned;

    LineReader(ReadableByteChannel channel, int maxBytes) {
        this.channel = channel;
        this.maxBytes = maxBytes;
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
        String line = new String(bytes, 0, scanned, StandardCharsets.UTF_8);
        int rest = filled - scanned - 1;
        System.arraycopy(bytes, scanned + 1, bytes, 0, rest);
        filled = rest;
        scanned = 0;
        return line;
    }
}
