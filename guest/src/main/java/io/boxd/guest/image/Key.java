package io.boxd.guest.image;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;

/** Gathers everything that goes into a part and hashes it; each entry is length-prefixed, so none can pose as two. */
final class Key {
    /** Raised when the building code changes what it produces from the same recipe. */
    private static final String BUILDER_VERSION = "1";

    private static final int SHOWN_CHARS = 24;

    private final MessageDigest digest = sha256();

    Key(String kind) {
        with(BUILDER_VERSION).with(kind);
    }

    Key with(String text) {
        return with(text.getBytes(StandardCharsets.UTF_8));
    }

    Key with(Iterable<String> texts) {
        texts.forEach(this::with);
        return with("");
    }

    Key with(Map<String, byte[]> files) {
        files.forEach((path, bytes) -> with(path).with(bytes));
        return with("");
    }

    private Key with(byte[] bytes) {
        digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
        digest.update(bytes);
        return this;
    }

    /** The key, short enough for a file name and long enough never to collide. */
    String hex() {
        return HexFormat.of().formatHex(digest.digest()).substring(0, SHOWN_CHARS);
    }

    static String ofFile(Path file) throws IOException {
        MessageDigest digest = sha256();
        try (InputStream in = Files.newInputStream(file)) {
            byte[] chunk = new byte[1 << 20];
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                digest.update(chunk, 0, n);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
