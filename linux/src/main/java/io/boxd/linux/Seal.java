package io.boxd.linux;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The instance's own mark on what it wrote: a text with a code that only this instance can make.
 *
 * <p>Nothing inside a box, and no other instance, has the key.
 */
public final class Seal {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_BYTES = 32;

    private final SecretKeySpec key;

    private Seal(byte[] key) {
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /** With a key that is known already, such as a secret that is shared with somebody. */
    public static Seal of(byte[] key) {
        return new Seal(key);
    }

    /** Reads the key, or makes one for a new instance; only its owner can read it. */
    public static Seal open(Path file) {
        try {
            if (!Files.exists(file)) {
                make(file);
            }
            byte[] key = Files.readAllBytes(file);
            if (key.length != KEY_BYTES) {
                throw new BoxdException(
                        ErrorCode.INTERNAL,
                        "the key in " + file + " has " + key.length + " bytes instead of " + KEY_BYTES,
                        "Put the file back from a copy: without it nothing that this instance has sealed is believed.",
                        null);
            }
            return new Seal(key);
        } catch (IOException e) {
            throw Durable.failure("cannot read or make the instance's key " + file, e);
        }
    }

    private static void make(Path file) throws IOException {
        SecureRandom random = new SecureRandom();
        byte[] key = new byte[KEY_BYTES];
        random.nextBytes(key);
        Path unfinished = file.resolveSibling("unfinished-" + Long.toHexString(random.nextLong()));
        // Before anything is in it: nobody may have opened it meanwhile.
        Files.createFile(
                unfinished, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(unfinished, key);
        Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("r--------"));
        Durable.publish(unfinished, file);
        Arrays.fill(key, (byte) 0);
    }

    /** The text behind its code. */
    public byte[] seal(String text) {
        return (code(text) + "\n" + text).getBytes(StandardCharsets.UTF_8);
    }

    /** The text, if the code before it is this instance's for it. */
    public String unseal(byte[] sealed, String what) {
        String all = new String(sealed, StandardCharsets.UTF_8);
        int end = all.indexOf('\n');
        String text = end < 0 ? "" : all.substring(end + 1);
        String code = end < 0 ? "" : all.substring(0, end);
        if (!MessageDigest.isEqual(
                code.getBytes(StandardCharsets.UTF_8), code(text).getBytes(StandardCharsets.UTF_8))) {
            throw new BoxdException(ErrorCode.WRONG_STATE, what + " is damaged, or another instance wrote it");
        }
        return text;
    }

    /** The code alone, in hexadecimal digits. */
    public String code(String text) {
        try {
            Mac mac = Mac.getInstance(Objects.requireNonNull(key.getAlgorithm()));
            mac.init(key);
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new AssertionError("every Java has " + ALGORITHM, e);
        }
    }
}
