package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.nio.ByteBuffer;

/**
 * An absolute path inside a machine; never a path of this host, and never to be used as one.
 *
 * @param value begins with a slash, holds no zero byte, and is short enough for the machine's kernel
 */
public record GuestPath(GuestBytes value) {
    /** What the kernel takes, without the zero that ends it. */
    static final int MAX_BYTES = Wire.MAX_PATH_BYTES - 1;

    public GuestPath {
        byte[] bytes = value.toArray();
        if (bytes.length == 0 || bytes[0] != '/') {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT, "a path in a machine begins with /, which '" + value + "' does not");
        }
        if (value.contains(0)) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "a path cannot hold a zero byte");
        }
        if (bytes.length > MAX_BYTES) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a path of " + bytes.length + " bytes is longer than the limit of " + MAX_BYTES);
        }
    }

    public static GuestPath of(String text) {
        return new GuestPath(GuestBytes.of(text));
    }

    public static GuestPath of(byte[] bytes) {
        return new GuestPath(GuestBytes.of(bytes));
    }

    /** The path of a name in this folder, or of a relative path below it. */
    public GuestPath resolve(GuestBytes name) {
        byte[] folder = value.toArray();
        boolean separated = folder[folder.length - 1] == '/';
        ByteBuffer joined = ByteBuffer.allocate(folder.length + (separated ? 0 : 1) + name.length());
        joined.put(folder);
        if (!separated) {
            joined.put((byte) '/');
        }
        return of(joined.put(name.toArray()).array());
    }

    public GuestPath resolve(String name) {
        return resolve(GuestBytes.of(name));
    }

    byte[] bytes() {
        return value.toArray();
    }

    @Override
    public String toString() {
        return value.toString();
    }
}
