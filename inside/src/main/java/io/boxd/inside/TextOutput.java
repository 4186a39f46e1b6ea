package io.boxd.inside;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;

/** One text of a conversation, sent while it is written, so that nobody keeps all of it. */
final class TextOutput extends OutputStream {
    private final BiConsumer<Frame.Kind, ByteBuffer> sending;
    private ByteBuffer piece = ByteBuffer.allocate(InsideLimits.FRAME_BYTES);

    TextOutput(BiConsumer<Frame.Kind, ByteBuffer> sending) {
        this.sending = sending;
    }

    @Override
    public void write(int one) {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        for (int at = 0; at < length; ) {
            if (!piece.hasRemaining()) {
                send(Frame.Kind.TEXT_PART);
            }
            int count = Math.min(length - at, piece.remaining());
            piece.put(bytes, offset + at, count);
            at += count;
        }
    }

    /** That was all. */
    void finish() {
        send(Frame.Kind.TEXT);
    }

    private void send(Frame.Kind kind) {
        sending.accept(kind, piece.flip());
        piece = ByteBuffer.allocate(InsideLimits.FRAME_BYTES);
    }
}
