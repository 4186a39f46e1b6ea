package io.boxd.guest;

import java.nio.ByteBuffer;

/**
 * Cuts the machine's bytes into frames of one session.
 *
 * <p>Holds one buffer, at most of the size of the largest frame, whatever arrives. Not for use by several
 * threads.
 */
final class FrameDecoder {
    /** Takes frames as they become complete. */
    interface Sink {
        void accept(Frame frame) throws ProtocolException;
    }

    private static final int SMALL_BYTES = 4 * 1024;

    private final int tag;
    private byte[] held = new byte[SMALL_BYTES];
    private int count;
    private int length;
    private boolean inPadding;

    FrameDecoder(int tag) {
        this.tag = tag;
    }

    /** Takes all bytes of the input and hands on every frame they complete. */
    void feed(ByteBuffer input, Sink sink) throws ProtocolException {
        while (input.hasRemaining()) {
            if (inPadding) {
                skipPadding(input);
            } else if (length == 0) {
                if (collect(input, Wire.LENGTH_BYTES)) {
                    begin(ByteBuffer.wrap(held).getInt(0));
                }
            } else if (collect(input, length)) {
                finish(sink);
            }
        }
    }

    private boolean collect(ByteBuffer input, int wanted) {
        int now = Math.min(wanted - count, input.remaining());
        input.get(held, count, now);
        count += now;
        return count == wanted;
    }

    private void begin(int announced) throws ProtocolException {
        count = 0;
        if (announced == 0) {
            inPadding = true;
            return;
        }
        if (announced < Wire.OVERHEAD_BYTES || announced > Wire.MAX_LENGTH) {
            throw new ProtocolException("a frame claims " + Integer.toUnsignedString(announced) + " bytes");
        }
        if (announced > held.length) {
            held = new byte[Wire.MAX_LENGTH];
        }
        length = announced;
    }

    /** Padding ends at the first byte that is not zero: the low byte of the next frame's length. */
    private void skipPadding(ByteBuffer input) throws ProtocolException {
        while (input.hasRemaining()) {
            int value = Byte.toUnsignedInt(input.get());
            if (value != 0) {
                inPadding = false;
                begin(value);
                return;
            }
        }
    }

    private void finish(Sink sink) throws ProtocolException {
        int end = length - Wire.TAG_BYTES;
        ByteBuffer whole = ByteBuffer.wrap(held);
        if (whole.getInt(end) != tag) {
            throw new ProtocolException(
                    whole.getInt(end) == Wire.NEWBORN_TAG
                            ? "it was started anew"
                            : "a frame belongs to another session");
        }
        ByteBuffer payload = whole.slice(Wire.HEADER_BYTES, end - Wire.HEADER_BYTES);
        Frame frame = new Frame(Byte.toUnsignedInt(whole.get(0)), whole.getInt(1), payload.asReadOnlyBuffer());
        count = 0;
        length = 0;
        sink.accept(frame);
    }
}
