package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.function.Function;

/** One text of a conversation as it comes, so that nobody keeps all of it; fails if it is too long or stops. */
final class TextInput extends InputStream {
    private final Function<Deadline, Frame> frames;
    private final Link link;
    private final int largest;
    private ByteBuffer rest;
    private boolean last;
    private int count;

    /** @param frames those that follow the first; throws if none comes in time */
    TextInput(Frame first, Function<Deadline, Frame> frames, Link link, int largest) {
        this.frames = frames;
        this.link = link;
        this.largest = largest;
        this.rest = content(first);
    }

    private ByteBuffer content(Frame frame) {
        ByteBuffer content = frame.content();
        if (count + content.remaining() > largest) {
            throw Frame.nonsense("a text has more than " + largest + " bytes");
        }
        last = frame.kind() == Frame.Kind.TEXT;
        count += content.remaining();
        link.collects(content.remaining());
        return content;
    }

    @Override
    public int read() {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws BoxdException {
        while (!rest.hasRemaining()) {
            if (last) {
                return -1;
            }
            Frame next = frames.apply(Deadline.in(InsideLimits.SENDING));
            if (next.kind() != Frame.Kind.TEXT && next.kind() != Frame.Kind.TEXT_PART) {
                throw Frame.nonsense("something in the middle of a text");
            }
            rest = content(next);
        }
        int taken = Math.min(length, rest.remaining());
        rest.get(target, offset, taken);
        return taken;
    }

    @Override
    public void close() {
        link.collects(-count);
    }
}
