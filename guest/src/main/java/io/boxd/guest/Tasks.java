package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Lets the machine do tasks with the rights of one of its users. */
final class Tasks {
    /** The numbers of the tasks. */
    static final int STAT = 1;

    static final int REAL_PATH = 2;
    static final int ROOM = 3;
    static final int LIST = 4;
    static final int READ = 5;
    static final int WRITE = 6;
    static final int MAKE_FOLDER = 7;
    static final int REMOVE = 8;
    static final int RENAME = 9;
    static final int MAKE_LINK = 10;
    static final int HARD_LINK = 11;
    static final int SET = 12;
    static final int WATCH = 13;
    static final int PACK = 14;
    static final int UNPACK = 15;
    static final int PORTS = 16;
    static final int WATCH_PORTS = 17;
    static final int METRICS = 18;
    static final int RESOLVE = 19;
    static final int CONNECT = 20;
    static final int LISTEN = 21;

    /** A disk that does nothing for so long will not do anything any more. */
    static final Duration STALL_LIMIT = Duration.ofSeconds(60);

    private final Session session;
    private final String user;

    /** An empty user is root. */
    Tasks(Session session, String user) {
        this.session = session;
        this.user = user;
    }

    /** The beginning of a task's request. */
    PayloadWriter request(int task) {
        return new PayloadWriter().text(user, Wire.MAX_NAME_BYTES).u8(task);
    }

    /** Begins a task and waits until it is under way. */
    Tunnel open(PayloadWriter request, Deadline deadline, String what) {
        Tunnel tunnel = begin(request, STALL_LIMIT, deadline, what);
        tunnel.awaitOpened(deadline);
        return tunnel;
    }

    Tunnel begin(PayloadWriter request, @Nullable Duration stallLimit, Deadline deadline, String what) {
        byte[] bytes = request.toBytes();
        if (bytes.length > Wire.MAX_PAYLOAD_BYTES) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "a request of " + bytes.length + " bytes is too long");
        }
        return Tunnel.begin(session, Wire.TASK, bytes, stallLimit, deadline, what);
    }

    /** Does a task whose whole answer is its result. */
    <T> T ask(PayloadWriter request, Records.Parser<T> parser, Deadline deadline, String what) {
        return result(begin(request, STALL_LIMIT, deadline, what), parser, deadline);
    }

    /** Waits for the end of a task and reads its result. */
    static <T> T result(Tunnel tunnel, Records.Parser<T> parser, Deadline deadline) {
        PayloadReader result = tunnel.awaitDone(deadline);
        try {
            T answer = parser.parse(result);
            result.end();
            return answer;
        } catch (ProtocolException e) {
            throw tunnel.nonsense(e);
        }
    }
}
