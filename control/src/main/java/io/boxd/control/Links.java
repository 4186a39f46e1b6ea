package io.boxd.control;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Links that let whoever has one in to one box until a time: the time, signed with the box's own key. */
final class Links {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_BYTES = 32;
    private static final int SIGNATURE_BYTES = 32;

    private Links() {}

    /** A key for a box that has none, or whose links are all to be worthless. */
    static String newKey(SecureRandom random) {
        byte[] key = new byte[KEY_BYTES];
        random.nextBytes(key);
        return HexFormat.of().formatHex(key);
    }

    /** What is shown at the door. */
    static String of(String key, String box, Instant end) {
        byte[] time =
                ByteBuffer.allocate(Long.BYTES).putLong(end.getEpochSecond()).array();
        byte[] signature = sign(key, box, time);
        byte[] all = Arrays.copyOf(time, Long.BYTES + SIGNATURE_BYTES);
        System.arraycopy(signature, 0, all, Long.BYTES, SIGNATURE_BYTES);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(all);
    }

    /** Whether this lets in to the box now. */
    static boolean holds(String key, String box, String shown, Instant now) {
        byte[] all;
        try {
            all = Base64.getUrlDecoder().decode(shown);
        } catch (IllegalArgumentException e) {
            return false;
        }
        if (all.length != Long.BYTES + SIGNATURE_BYTES) {
            return false;
        }
        byte[] time = Arrays.copyOf(all, Long.BYTES);
        byte[] signature = Arrays.copyOfRange(all, Long.BYTES, all.length);
        return MessageDigest.isEqual(signature, sign(key, box, time))
                && ByteBuffer.wrap(time).getLong() > now.getEpochSecond();
    }

    private static byte[] sign(String key, String box, byte[] time) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(HexFormat.of().parseHex(key), ALGORITHM));
            mac.update(box.getBytes(StandardCharsets.UTF_8));
            mac.update((byte) 0);
            return mac.doFinal(time);
        } catch (GeneralSecurityException e) {
            throw new AssertionError("every Java has " + ALGORITHM, e);
        }
    }
}
