package io.boxd.guest;

import java.nio.ByteBuffer;

/**
 * A piece of what an execution has said, in its order.
 *
 * @param offset how many bytes of either channel came before it; a jump means that the bytes between are lost
 * @param data the bytes, read-only
 */
public record OutputChunk(OutputChannel channel, long offset, ByteBuffer data) {
    public OutputChunk {
        data = data.asReadOnlyBuffer();
    }

    @Override
    public ByteBuffer data() {
        return data.duplicate();
    }

    /** The offset behind it: from there a client that has taken it goes on. */
    public long end() {
        return offset + data.remaining();
    }

    /** A copy of the bytes. */
    public byte[] bytes() {
        byte[] bytes = new byte[data.remaining()];
        data().get(bytes);
        return bytes;
    }
}
