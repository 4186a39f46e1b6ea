package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.nio.ByteBuffer;

/**
 * One message on a link.
 *
 * @param conversation that it belongs to; 0 for the link itself
 */
record Frame(int conversation, Kind kind, ByteBuffer content) {
    /** What it means; the order is that of the numbers on the wire. */
    enum Kind {
        /** Whoever sends it is there. */
        ALIVE,
        /** A conversation begins. */
        OPEN,
        /** A piece of a text that goes on. */
        TEXT_PART,
        /** The last piece of a text. */
        TEXT,
        /** Bytes: the first says on which channel. */
        DATA,
        /** So much more may be sent. */
        CREDIT,
        /** No more comes from this side. */
        END,
        /** Data are not taken any more; all else goes on. */
        STOP,
        /** The conversation is over, and why. */
        FAIL,
        /** Nobody listens any more. */
        LEAVE
    }

    private static final Kind[] KINDS = Kind.values();
    private static final int HEAD_BYTES = Integer.BYTES + 1;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

    static Frame of(int conversation, Kind kind) {
        return new Frame(conversation, kind, NOTHING);
    }

    static Frame credit(int conversation, int bytes) {
        return new Frame(
                conversation,
                Kind.CREDIT,
                ByteBuffer.allocate(Integer.BYTES).putInt(bytes).flip());
    }

    /** What it takes of a window. */
    int weight() {
        return content.remaining() + InsideLimits.FRAME_WEIGHT;
    }

    ByteBuffer write() {
        return ByteBuffer.allocate(HEAD_BYTES + content.remaining())
                .putInt(conversation)
                .put((byte) kind.ordinal())
                .put(content.duplicate())
                .flip();
    }

    /** @param message which may be anything; what is kept of it is a copy */
    static Frame read(ByteBuffer message) {
        if (message.remaining() < HEAD_BYTES || message.remaining() > HEAD_BYTES + largest()) {
            throw nonsense("a message of " + message.remaining() + " bytes");
        }
        int conversation = message.getInt();
        int kind = message.get();
        if (conversation < 0 || kind < 0 || kind >= KINDS.length) {
            throw nonsense("a message of no known kind");
        }
        ByteBuffer content =
                ByteBuffer.allocate(message.remaining()).put(message).flip();
        return new Frame(conversation, KINDS[kind], content);
    }

    /** Bytes of content at most: the channel stands before data. */
    static int largest() {
        return InsideLimits.FRAME_BYTES + 1;
    }

    static BoxdException nonsense(String what) {
        return new BoxdException(ErrorCode.INVALID_ARGUMENT, "the other side does not keep to the protocol: " + what);
    }
}
