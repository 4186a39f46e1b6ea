package io.boxd.vmm;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 of files. */
final class Hashes {
    private Hashes() {}

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    static byte[] ofFile(Path file) throws IOException {
        MessageDigest hash = sha256();
        try (InputStream stream = Files.newInputStream(file)) {
            byte[] chunk = new byte[1 << 16];
            for (int n = stream.read(chunk); n >= 0; n = stream.read(chunk)) {
                hash.update(chunk, 0, n);
            }
        }
        return hash.digest();
    }
}
