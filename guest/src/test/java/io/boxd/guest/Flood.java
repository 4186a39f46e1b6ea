package io.boxd.guest;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Output of any length in which no two places look alike: the numbers from 1, a line each. */
record Flood(long bytes) {
    String command() {
        return "seq 1 1000000000 | head -c " + bytes;
    }

    /** What the bytes from an offset to the end add up to. */
    String sha256From(long offset) {
        MessageDigest digest = sha256();
        long at = 0;
        StringBuilder lines = new StringBuilder();
        for (int number = 1; at < bytes; number++) {
            lines.append(number).append('\n');
            if (lines.length() > 60_000 || at + lines.length() >= bytes) {
                byte[] text = lines.toString().getBytes(US_ASCII);
                int count = (int) Math.min(text.length, bytes - at);
                int skipped = Math.clamp(offset - at, 0, count);
                digest.update(text, skipped, count - skipped);
                at += count;
                lines.setLength(0);
            }
        }
        return hex(digest);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    static String hex(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }
}
