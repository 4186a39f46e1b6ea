package io.boxd.accounts;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * The secrets of tokens and invitations: 256 random bits, and how they are written and remembered.
 *
 * <p>Nobody guesses 256 bits, so a plain hash keeps them as well as a slow one would, which is for passwords that
 * people choose and would cost every request its time.
 */
public final class Secrets {
    /** How much randomness goes into one. */
    public static final int BYTES = 32;

    private static final String TOKEN = "boxd_";
    private static final String INVITATION = "invite_";
    private static final Pattern OURS = Pattern.compile("(boxd|invite)_[0-9a-f]{72}");
    private static final int CHECK_DIGITS = 8;

    private Secrets() {}

    /** A token out of these random bytes. */
    public static String token(byte[] random) {
        return written(TOKEN, random);
    }

    /** An invitation out of these random bytes. */
    public static String invitation(byte[] random) {
        return written(INVITATION, random);
    }

    private static String written(String prefix, byte[] random) {
        if (random.length != BYTES) {
            throw new IllegalArgumentException("a secret has " + BYTES + " bytes");
        }
        String text = prefix + HexFormat.of().formatHex(random);
        return text + check(text);
    }

    private static String check(String text) {
        CRC32 sum = new CRC32();
        sum.update(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) sum.getValue());
    }

    /** Whether somebody meant one of ours and did not get it right. */
    public static boolean isMistyped(String text) {
        if (!text.startsWith(TOKEN) && !text.startsWith(INVITATION)) {
            return false;
        }
        if (!OURS.matcher(text).matches()) {
            return true;
        }
        int end = text.length() - CHECK_DIGITS;
        return !check(text.substring(0, end)).equals(text.substring(end));
    }

    /** What is remembered of a secret. */
    public static String hash(String secret) {
        return HexFormat.of().formatHex(sha256(secret.getBytes(StandardCharsets.UTF_8)));
    }

    /** The SHA-256 of some bytes. */
    public static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }
}
