package io.boxd.linux;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** One message to the kernel: its type, a fixed head, then attributes. */
public final class NetlinkRequest {
    private static final int MOST_BYTES = 1024;
    private static final int ATTRIBUTE_HEADER_BYTES = 4;
    private static final int FLAG_REQUEST = 1;
    private static final int FLAG_ACKNOWLEDGE = 4;
    private static final int FLAGS_DUMP = 0x300;
    private static final int FLAGS_CREATE_OR_REPLACE = 0x400 | 0x100;

    private final int type;
    private final int flags;
    private final ByteBuffer body = ByteBuffer.allocate(MOST_BYTES).order(ByteOrder.nativeOrder());

    private NetlinkRequest(int type, int flags, byte[] head) {
        this.type = type;
        this.flags = flags;
        body.put(head);
        pad();
    }

    /** Asks for everything of a kind. */
    public static NetlinkRequest dump(int type, byte[] head) {
        return new NetlinkRequest(type, FLAG_REQUEST | FLAGS_DUMP, head);
    }

    /** Asks for one thing, which the attributes name. */
    public static NetlinkRequest get(int type, byte[] head) {
        return new NetlinkRequest(type, FLAG_REQUEST, head);
    }

    /** Puts something in the place of what is there, if anything. */
    public static NetlinkRequest replace(int type, byte[] head) {
        return new NetlinkRequest(type, FLAG_REQUEST | FLAG_ACKNOWLEDGE | FLAGS_CREATE_OR_REPLACE, head);
    }

    /** Removes something. */
    public static NetlinkRequest delete(int type, byte[] head) {
        return new NetlinkRequest(type, FLAG_REQUEST | FLAG_ACKNOWLEDGE, head);
    }

    public NetlinkRequest with(int attribute, byte[] value) {
        body.putShort((short) (ATTRIBUTE_HEADER_BYTES + value.length));
        body.putShort((short) attribute);
        body.put(value);
        pad();
        return this;
    }

    /** A number in this processor's byte order. */
    public NetlinkRequest withNumber(int attribute, int value) {
        return with(
                attribute,
                ByteBuffer.allocate(4)
                        .order(ByteOrder.nativeOrder())
                        .putInt(value)
                        .array());
    }

    /** A number in the network's byte order. */
    public NetlinkRequest withBigEndian(int attribute, int value) {
        return with(attribute, ByteBuffer.allocate(4).putInt(value).array());
    }

    public NetlinkRequest with(int attribute, String text) {
        return with(attribute, (text + "\0").getBytes(StandardCharsets.US_ASCII));
    }

    private void pad() {
        while (body.position() % 4 != 0) {
            body.put((byte) 0);
        }
    }

    byte[] encode(int sequence) {
        int length = Netlink.HEADER_BYTES + body.position();
        ByteBuffer message = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
        message.putInt(length).putShort((short) type).putShort((short) flags);
        message.putInt(sequence).putInt(0);
        message.put(body.array(), 0, body.position());
        return message.array();
    }
}
