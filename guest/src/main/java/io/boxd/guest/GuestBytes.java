package io.boxd.guest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A name, path or link target of a machine: bytes that need not be text, and that mean nothing to this host.
 *
 * <p>Immutable. As text, what is not UTF-8 or could steer a terminal is replaced, so the text is for people only.
 */
public final class GuestBytes {
    private static final GuestBytes EMPTY = new GuestBytes(new byte[0]);

    private final byte[] bytes;

    private GuestBytes(byte[] bytes) {
        this.bytes = bytes;
    }

    public static GuestBytes of(byte[] bytes) {
        return bytes.length == 0 ? EMPTY : new GuestBytes(bytes.clone());
    }

    public static GuestBytes of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    public byte[] toArray() {
        return bytes.clone();
    }

    public int length() {
        return bytes.length;
    }

    public boolean isEmpty() {
        return bytes.length == 0;
    }

    boolean contains(int value) {
        for (byte one : bytes) {
            if (one == (byte) value) {
                return true;
            }
        }
        return false;
    }

    static String printable(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8)
                .codePoints()
                .map(point -> Character.isISOControl(point) ? '?' : point)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GuestBytes that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return printable(bytes);
    }
}
