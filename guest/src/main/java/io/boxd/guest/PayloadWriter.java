package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes the fields of a payload; a text that does not fit its limit is the caller's mistake. */
final class PayloadWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    PayloadWriter u8(int value) {
        out.write(value);
        return this;
    }

    PayloadWriter u16(int value) {
        out.write(value >>> 8);
        out.write(value);
        return this;
    }

    PayloadWriter u32(int value) {
        out.writeBytes(ByteBuffer.allocate(4).putInt(value).array());
        return this;
    }

    PayloadWriter u64(long value) {
        out.writeBytes(ByteBuffer.allocate(8).putLong(value).array());
        return this;
    }

    PayloadWriter bytes(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    PayloadWriter text(String text, int capBytes) {
        byte[] bytes = encode(text, capBytes);
        return string(bytes);
    }

    /** Bytes with a length before them. */
    PayloadWriter string(byte[] bytes) {
        return u16(bytes.length).bytes(bytes);
    }

    PayloadWriter flag(boolean value) {
        return u8(value ? 1 : 0);
    }

    PayloadWriter longText(String text, int capBytes) {
        byte[] bytes = encode(text, capBytes);
        return u32(bytes.length).bytes(bytes);
    }

    /** An internet address as {@link PayloadReader#address} reads it. */
    PayloadWriter address(InetAddress address) {
        byte[] bytes = address.getAddress();
        return u8(bytes.length == Wire.ADDRESS_BYTES_V4 ? 4 : 6).bytes(Arrays.copyOf(bytes, Wire.ADDRESS_BYTES));
    }

    byte[] toBytes() {
        return out.toByteArray();
    }

    private static byte[] encode(String text, int capBytes) {
        if (text.indexOf('\0') >= 0) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "a text for the machine holds a zero character");
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > capBytes) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a text of " + bytes.length + " bytes is longer than the limit of " + capBytes);
        }
        return bytes;
    }
}
