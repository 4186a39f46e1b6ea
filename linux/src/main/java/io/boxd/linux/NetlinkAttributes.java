package io.boxd.linux;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The attributes behind the head of an answer of the kernel; unknown ones are of no harm. */
public final class NetlinkAttributes {
    private static final int HEADER_BYTES = 4;
    private static final int TYPE_MASK = 0x3fff;

    private final Map<Integer, byte[]> values = new HashMap<>();

    private NetlinkAttributes() {}

    /** Reads the attributes that follow after so many bytes. */
    public static NetlinkAttributes after(int headBytes, ByteBuffer body) {
        NetlinkAttributes found = new NetlinkAttributes();
        int at = headBytes + 3 & ~3;
        ByteBuffer data = body.duplicate().order(ByteOrder.nativeOrder());
        while (at + HEADER_BYTES <= data.limit()) {
            int length = Short.toUnsignedInt(data.getShort(at));
            if (length < HEADER_BYTES || at + length > data.limit()) {
                break;
            }
            byte[] value = new byte[length - HEADER_BYTES];
            data.get(at + HEADER_BYTES, value);
            found.values.put(data.getShort(at + 2) & TYPE_MASK, value);
            at += length + 3 & ~3;
        }
        return found;
    }

    public Optional<byte[]> bytes(int type) {
        return Optional.ofNullable(values.get(type));
    }

    public Optional<String> text(int type) {
        return bytes(type).map(value -> new String(value, StandardCharsets.US_ASCII).replace("\0", ""));
    }

    /** A 64-bit number in the network's byte order; 0 where it is missing or of another size. */
    public long bigEndianLong(int type) {
        return bytes(type)
                .filter(value -> value.length == Long.BYTES)
                .map(value -> ByteBuffer.wrap(value).getLong())
                .orElse(0L);
    }

    public NetlinkAttributes nested(int type) {
        return after(0, ByteBuffer.wrap(bytes(type).orElse(new byte[0])));
    }
}
