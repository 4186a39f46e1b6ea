package io.boxd.vmm;

import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** Gives out prepared bytes in pieces of a chosen size, then ends. */
final class TestingChannel implements ReadableByteChannel {
    private final ByteBuffer bytes;
    private final int piece;

    TestingChannel(byte[] bytes, int piece) {
        this.bytes = ByteBuffer.wrap(bytes);
        this.piece = piece;
    }

    @Override
    public int read(ByteBuffer target) {
        if (!bytes.hasRemaining()) {
            return -1;
        }
        int length = Math.min(piece, Math.min(target.remaining(), bytes.remaining()));
        target.put(bytes.slice(bytes.position(), length));
        bytes.position(bytes.position() + length);
        return length;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {
        bytes.position(bytes.limit());
    }
}
