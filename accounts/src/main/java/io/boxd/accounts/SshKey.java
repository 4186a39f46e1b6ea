package io.boxd.accounts;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.math.BigInteger;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A public key as it stands in a file of OpenSSH, read to the last byte.
 *
 * @param material the key in Base64
 */
public record SshKey(String type, String material, String comment) {
    private static final int LONGEST_LINE = 16_384;
    private static final int LONGEST_COMMENT = 200;
    private static final int FEWEST_RSA_BITS = 2048;
    private static final int MOST_RSA_BITS = 16_384;
    private static final int ED25519_BYTES = 32;
    private static final byte UNCOMPRESSED_POINT = 4;

    /** Reads one line. */
    public static SshKey parse(String line) {
        String text = line.strip();
        if (text.contains("PRIVATE KEY")) {
            throw invalid("this is a private key", "Keep it to yourself, and give the file that ends in .pub.");
        }
        if (text.length() > LONGEST_LINE || text.lines().count() > 1) {
            throw invalid("a public key is one line", "Give what is in a file that ends in .pub.");
        }
        String[] words = text.split("\\s+", 3);
        if (words.length < 2) {
            throw invalid(
                    "this is no public key of SSH",
                    "It is a line such as 'ssh-ed25519 AAAA… you@host': see ~/.ssh/*.pub.");
        }
        byte[] blob = decode(words[1]);
        check(words[0], blob);
        String comment = words.length == 3 ? words[2] : "";
        return new SshKey(words[0], Base64.getEncoder().encodeToString(blob), printable(comment));
    }

    private static byte[] decode(String material) {
        try {
            return Base64.getDecoder().decode(material);
        } catch (IllegalArgumentException e) {
            throw damaged(e);
        }
    }

    private static String printable(String comment) {
        return comment.codePoints()
                .limit(LONGEST_COMMENT)
                .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static void check(String type, byte[] blob) {
        ByteBuffer in = ByteBuffer.wrap(blob);
        try {
            if (!text(in).equals(type)) {
                throw damaged(null);
            }
            switch (type) {
                case "ssh-ed25519" -> ed25519(in);
                case "ssh-rsa" -> rsa(in);
                case "ecdsa-sha2-nistp256" -> point(in, "nistp256", 32);
                case "ecdsa-sha2-nistp384" -> point(in, "nistp384", 48);
                case "ecdsa-sha2-nistp521" -> point(in, "nistp521", 66);
                case "sk-ssh-ed25519@openssh.com" -> {
                    ed25519(in);
                    text(in);
                }
                case "sk-ecdsa-sha2-nistp256@openssh.com" -> {
                    point(in, "nistp256", 32);
                    text(in);
                }
                default -> throw unsupported(type);
            }
        } catch (BufferUnderflowException e) {
            throw damaged(e);
        }
        if (in.hasRemaining()) {
            throw damaged(null);
        }
    }

    private static BoxdException unsupported(String type) {
        boolean old = type.toLowerCase(Locale.ROOT).equals("ssh-dss");
        return invalid(
                old ? "keys of DSA are not safe any more" : "keys of this kind are not known here",
                "Make one: ssh-keygen -t ed25519. Known are ssh-ed25519, ssh-rsa from " + FEWEST_RSA_BITS
                        + " bits, ecdsa-sha2-nistp256, -384 and -521, and those of security keys (sk-…).");
    }

    private static void ed25519(ByteBuffer in) {
        if (bytes(in).length != ED25519_BYTES) {
            throw damaged(null);
        }
    }

    private static void rsa(ByteBuffer in) {
        BigInteger exponent = number(in);
        BigInteger modulus = number(in);
        if (modulus.bitLength() < FEWEST_RSA_BITS) {
            throw invalid(
                    "an RSA key of " + modulus.bitLength() + " bits is too short", "Make one: ssh-keygen -t ed25519.");
        }
        boolean usable = exponent.testBit(0) && exponent.compareTo(BigInteger.ONE) > 0;
        if (modulus.bitLength() > MOST_RSA_BITS || !usable) {
            throw damaged(null);
        }
    }

    private static BigInteger number(ByteBuffer in) {
        byte[] bytes = bytes(in);
        if (bytes.length == 0 || bytes[0] < 0) {
            throw damaged(null);
        }
        return new BigInteger(bytes);
    }

    private static void point(ByteBuffer in, String curve, int coordinateBytes) {
        boolean sameCurve = text(in).equals(curve);
        byte[] point = bytes(in);
        if (!sameCurve || point.length != 2 * coordinateBytes + 1 || point[0] != UNCOMPRESSED_POINT) {
            throw damaged(null);
        }
    }

    private static String text(ByteBuffer in) {
        return new String(bytes(in), StandardCharsets.ISO_8859_1);
    }

    private static byte[] bytes(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private static BoxdException damaged(@Nullable Throwable cause) {
        return new BoxdException(
                ErrorCode.INVALID_ARGUMENT,
                "this public key is damaged",
                "Copy the whole line of the file that ends in .pub.",
                cause);
    }

    private static BoxdException invalid(String message, String hint) {
        return new BoxdException(ErrorCode.INVALID_ARGUMENT, message, hint, null);
    }

    /** As {@code ssh-keygen -l} prints it. */
    public String fingerprint() {
        byte[] hash = Secrets.sha256(Base64.getDecoder().decode(material));
        return "SHA256:" + Base64.getEncoder().withoutPadding().encodeToString(hash);
    }
}
