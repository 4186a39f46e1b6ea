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
    /** What it means, and the number that says so on the wire. */
    enum Kind {
        /** Whoever sends it is there. */
        ALIVE(0),
        /** A conversation begins. */
        OPEN(1),
        /** A piece of a text that goes on. */
        TEXT_PART(2),
        /** The last piece of a text. */
        TEXT(3),
        /** Bytes: the first says on which channel. */
        DATA(4),
        /** So much more may be sent. */
        CREDIT(5),
        /** No more comes from this side. */
        END(6),
        /** Data are not taken any more; all else goes on. */
        STOP(7),
        /** The conversation is over, and why. */
        FAIL(8),
        /** Nobody listens any more. */
        LEAVE(9);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        static Kind of(int number) {
            for (Kind kind : values()) {
                if (kind.number == number) {
                    return kind;
                }
            }
            throw nonsense("a message of no known kind");
        }
    }

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
                .put((byte) kind.number)
                .put(content.duplicate())
                .flip();
    }

    /** @param message which may be anything; what is kept of it is a copy */
    static Frame read(ByteBuffer message) {
        if (message.remaining() < HEAD_BYTES || message.remaining() > HEAD_BYTES + largest()) {
            throw nonsense("a message of " + message.remaining() + " bytes");
        }
        int conversation = message.getInt();
        Kind kind = Kind.of(message.get());
        if (conversation < 0) {
            throw nonsense("a conversation with a negative number");
        }
        ByteBuffer content =
                ByteBuffer.allocate(message.remaining()).put(message).flip();
        return new Frame(conversation, kind, content);
    }

    /** Bytes of content at most: the channel stands before data. */
    static int largest() {
        return InsideLimits.FRAME_BYTES + 1;
    }

    static BoxdException nonsense(String what) {
        return new BoxdException(ErrorCode.INVALID_ARGUMENT, "the other side does not keep to the protocol: " + what);
    }
}
