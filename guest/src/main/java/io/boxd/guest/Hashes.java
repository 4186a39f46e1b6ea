package io.boxd.guest;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The hash of everything that is checked on its way. */
final class Hashes {
    private Hashes() {}

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
