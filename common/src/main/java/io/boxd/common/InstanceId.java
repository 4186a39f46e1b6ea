package io.boxd.common;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Six hexadecimal digits that tell one instance's things on the host from those of others. */
public final class InstanceId {
    private static final int DIGITS = 6;

    private InstanceId() {}

    /** Those of the instance that lives in this home. */
    public static String of(Path home) {
        byte[] name = home.toAbsolutePath().normalize().toString().getBytes(StandardCharsets.UTF_8);
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(name);
            return HexFormat.of().formatHex(hash).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }
}
