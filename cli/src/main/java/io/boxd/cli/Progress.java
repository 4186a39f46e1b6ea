package io.boxd.cli;

import io.boxd.console.Console;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Counts and hashes what is read through it, and shows on a terminal how far it is. */
final class Progress extends FilterInputStream {
    private static final long STEP_NANOS = 200_000_000;

    private final Console console;
    private final boolean shown;
    private final MessageDigest digest;
    private long bytes;
    private long last = System.nanoTime();
    private boolean drawn;

    Progress(InputStream input, Console console, boolean shown) {
        super(input);
        this.console = console;
        this.shown = shown && console.isErrorTerminal();
        this.digest = sha256();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int count = super.read(into, offset, length);
        if (count > 0) {
            digest.update(into, offset, count);
            bytes += count;
            draw();
        }
        return count;
    }

    private void draw() {
        long now = System.nanoTime();
        if (shown && now - last > STEP_NANOS) {
            last = now;
            drawn = true;
            console.tellRaw("\r" + bytes / 1024 + " KiB copied\u001b[K");
        }
    }

    long bytes() {
        return bytes;
    }

    String hash() {
        return HexFormat.of().formatHex(digest.digest());
    }

    @Override
    public void close() throws IOException {
        if (drawn) {
            console.tellRaw("\r\u001b[K");
        }
        super.close();
    }
}
