package io.boxd.linux;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Questions to the kernel's network code, answered without starting a program.
 *
 * <p>Belongs to the network namespace of the thread that opened it. Thread-safe.
 */
public final class Netlink implements AutoCloseable {
    /** The kernel's side of a conversation. */
    public enum Family {
        ROUTE(0),
        NETFILTER(12);

        private final int number;

        Family(int number) {
            this.number = number;
        }
    }

    static final int HEADER_BYTES = 16;
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW = 3;
    private static final int RECEIVE_BYTES = 64 << 10;
    private static final int MOST_MESSAGES = 10_000;
    private static final int TYPE_ERROR = 2;
    private static final int TYPE_DONE = 3;
    private static final int FLAG_MULTI = 2;
    private static final int DUMP_INTERRUPTED = 0x10;

    private final RawSocket socket;
    private int sequence;

    private Netlink(RawSocket socket) {
        this.socket = socket;
    }

    public static Netlink open(Family family) {
        return new Netlink(RawSocket.open("netlink", AF_NETLINK, SOCK_RAW, family.number, Duration.ofSeconds(2)));
    }

    /**
     * Sends a request and returns the bodies of all answers; an error of the kernel is thrown.
     *
     * @param what the request is for, to name it in the error
     */
    public synchronized List<ByteBuffer> ask(String what, NetlinkRequest request) {
        int expected = ++sequence;
        try (Arena arena = Arena.ofConfined()) {
            byte[] message = request.encode(expected);
            MemorySegment out = arena.allocate(message.length);
            MemorySegment.copy(MemorySegment.ofArray(message), 0, out, 0, message.length);
            // An address of zeros is the kernel.
            MemorySegment kernel = arena.allocate(12);
            kernel.set(java.lang.foreign.ValueLayout.JAVA_SHORT, 0, (short) AF_NETLINK);
            socket.send(out, kernel);
            return answers(what, expected, arena.allocate(RECEIVE_BYTES));
        }
    }

    private List<ByteBuffer> answers(String what, int expected, MemorySegment into) {
        List<ByteBuffer> bodies = new ArrayList<>();
        while (bodies.size() < MOST_MESSAGES) {
            int length = socket.receive(into);
            ByteBuffer data = into.asSlice(0, length).asByteBuffer().order(ByteOrder.nativeOrder());
            while (data.remaining() >= HEADER_BYTES) {
                int start = data.position();
                int size = data.getInt(start);
                if (size < HEADER_BYTES || size > data.remaining()) {
                    throw new BoxdException(ErrorCode.INTERNAL, "the kernel's answer to " + what + " is cut off");
                }
                int type = data.getShort(start + 4);
                int flags = data.getShort(start + 6);
                boolean ours = data.getInt(start + 8) == expected;
                ByteBuffer body = data.slice(start + HEADER_BYTES, size - HEADER_BYTES);
                // Messages are padded to four bytes, except perhaps the last.
                data.position(Math.min(data.limit(), start + (size + 3 & ~3)));
                if (!ours) {
                    // Left over from a request whose caller gave up.
                    continue;
                }
                if (type == TYPE_ERROR) {
                    refuse(what, body.order(ByteOrder.nativeOrder()).getInt(0));
                    return bodies;
                }
                if (type == TYPE_DONE) {
                    return bodies;
                }
                if ((flags & DUMP_INTERRUPTED) != 0) {
                    throw new BoxdException(ErrorCode.UNAVAILABLE, what + " changed while it was read");
                }
                bodies.add(copy(body));
                if ((flags & FLAG_MULTI) == 0) {
                    return bodies;
                }
            }
        }
        throw new BoxdException(ErrorCode.INTERNAL, "the kernel's answer to " + what + " does not end");
    }

    private static void refuse(String what, int negativeErrno) {
        if (negativeErrno != 0) {
            throw new BoxdException(ErrorCode.INTERNAL, what + " failed: " + Errno.text(-negativeErrno));
        }
    }

    private static ByteBuffer copy(ByteBuffer body) {
        ByteBuffer own = ByteBuffer.allocate(body.remaining()).order(ByteOrder.nativeOrder());
        own.put(body).flip();
        return own;
    }

    @Override
    public synchronized void close() {
        socket.close();
    }
}
