package io.boxd.api;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The secret that requests carry; it is compared in a time that tells nothing, and never shown. */
public final class Token {
    private final byte[] hash;

    public Token(String secret) {
        if (secret.isBlank()) {
            throw new IllegalArgumentException("a token cannot be empty");
        }
        this.hash = hash(secret);
    }

    boolean matches(String said) {
        return MessageDigest.isEqual(hash, hash(said));
    }

    private static byte[] hash(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "a token";
    }
}
