package io.boxd.guest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** The beginning of a stream; the rest is read and forgotten so that the command is never held up. */
final class Captured {
    static final int LIMIT_BYTES = 4 << 20;
    private static final int CHUNK_BYTES = 16 * 1024;

    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private boolean truncated;

    synchronized byte[] bytes() {
        return kept.toByteArray();
    }

    synchronized boolean truncated() {
        return truncated;
    }

    void readAll(InputStream stream) throws IOException {
        byte[] chunk = new byte[CHUNK_BYTES];
        for (int count = stream.read(chunk); count >= 0; count = stream.read(chunk)) {
            keep(chunk, count);
        }
    }

    private synchronized void keep(byte[] chunk, int count) {
        int room = Math.min(count, LIMIT_BYTES - kept.size());
        kept.write(chunk, 0, room);
        truncated |= room < count;
    }
}
