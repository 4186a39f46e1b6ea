package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
final class Seal {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_BYTES = 32;

    private final SecretKeySpec key;

    private Seal(byte[] key) {
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /** Reads the key, or makes one for a new instance. */
    static Seal open(Path file) {
        try {
            if (!Files.exists(file)) {
                make(file);
            }
            byte[] key = Files.readAllBytes(file);
            if (key.length != KEY_BYTES) {
                throw new BoxdException(
                        ErrorCode.INTERNAL,
                        "the key in " + file + " has " + key.length + " bytes instead of " + KEY_BYTES,
                        "Put the file back from a copy: without it no snapshot of this instance can be used.",
                        null);
            }
            return new Seal(key);
        } catch (IOException e) {
            throw Durable.failure("cannot read or make the instance's key " + file, e);
        }
    }

    private static void make(Path file) throws IOException {
        byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        Path unfinished = file.resolveSibling("unfinished-" + Ids.random());
        Durable.write(unfinished, key);
        FileOwner.give(unfinished, 0, "r--------");
        Durable.publish(unfinished, file);
        Arrays.fill(key, (byte) 0);
    }

    /** The text behind its code. */
    byte[] seal(String text) {
        return (code(text) + "\n" + text).getBytes(StandardCharsets.UTF_8);
    }

    /** The text, if the code before it is this instance's for it. */
    String unseal(byte[] sealed, String what) {
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

    private String code(String text) {
        try {
            Mac mac = Mac.getInstance(Objects.requireNonNull(key.getAlgorithm()));
            mac.init(key);
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new AssertionError("every Java has " + ALGORITHM, e);
        }
    }
}
