package io.boxd.guest;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Reads the fields of a hostile payload; each length is checked before it is used. */
final class PayloadReader {
    private static final long MAX_SIZE = 1L << 60;

    private final ByteBuffer left;

    PayloadReader(ByteBuffer payload) {
        this.left = payload;
    }

    int u8() throws ProtocolException {
        return Byte.toUnsignedInt(need(1).get());
    }

    int u16() throws ProtocolException {
        return Short.toUnsignedInt(need(2).getShort());
    }

    int s32() throws ProtocolException {
        return need(4).getInt();
    }

    long u32() throws ProtocolException {
        return Integer.toUnsignedLong(s32());
    }

    long s64() throws ProtocolException {
        return need(8).getLong();
    }

    /** A number of bytes or the like: not negative, and so small that sums of some do not overflow. */
    long size() throws ProtocolException {
        long value = s64();
        if (value < 0 || value > MAX_SIZE) {
            throw new ProtocolException("a size is out of range");
        }
        return value;
    }

    byte[] bytes(int count) throws ProtocolException {
        ByteBuffer source = need(count);
        byte[] bytes = new byte[count];
        source.get(bytes);
        return bytes;
    }

    /** An internet address: 4 or 6, then sixteen bytes of which version 4 uses the first four. */
    InetAddress address() throws ProtocolException {
        int version = u8();
        byte[] bytes = bytes(Wire.ADDRESS_BYTES);
        if (version != 4 && version != 6) {
            throw new ProtocolException("no such version of addresses: " + version);
        }
        try {
            return InetAddress.getByAddress(version == 4 ? Arrays.copyOf(bytes, Wire.ADDRESS_BYTES_V4) : bytes);
        } catch (UnknownHostException e) {
            throw new ProtocolException("no address has " + bytes.length + " bytes");
        }
    }

    /** Everything that is left. */
    byte[] rest() throws ProtocolException {
        return bytes(left.remaining());
    }

    /** Bytes with a length before them. */
    GuestBytes string(int capBytes) throws ProtocolException {
        return GuestBytes.of(bytes(length(capBytes)));
    }

    /** A flag, which is 0 or 1. */
    boolean flag() throws ProtocolException {
        int value = u8();
        if (value > 1) {
            throw new ProtocolException("a flag is neither 0 nor 1");
        }
        return value == 1;
    }

    /** A number that cannot be negative. */
    long count() throws ProtocolException {
        long value = s64();
        if (value < 0) {
            throw new ProtocolException("a number is too large");
        }
        return value;
    }

    /** A short text for people; what could steer a terminal is replaced. */
    String text(int capBytes) throws ProtocolException {
        return GuestBytes.printable(bytes(length(capBytes)));
    }

    private int length(int capBytes) throws ProtocolException {
        int length = u16();
        if (length > capBytes) {
            throw new ProtocolException("a text of " + length + " bytes is longer than its limit");
        }
        return length;
    }

    void end() throws ProtocolException {
        if (left.hasRemaining()) {
            throw new ProtocolException("a payload goes on after its last field");
        }
    }

    private ByteBuffer need(int count) throws ProtocolException {
        if (left.remaining() < count) {
            throw new ProtocolException("a field reaches beyond its payload");
        }
        return left;
    }
}
