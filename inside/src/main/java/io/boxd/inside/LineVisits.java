package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.BoxConnection;
import io.boxd.control.BoxListener;
import io.boxd.control.BoxProgram;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** Programs, connections and listeners of one door: bytes both ways, until the door leaves. */
final class LineVisits {
    private static final Logger LOG = LoggerFactory.getLogger(LineVisits.class);

    /** Connections of one listener that its door has not taken yet. */
    private static final int WAITING = 16;

    /** By the number of their conversation. */
    private final ConcurrentMap<Integer, BoxProgram> programs = new ConcurrentHashMap<>();

    private final ConcurrentMap<Integer, Waiting> arrivals = new ConcurrentHashMap<>();
    private final AtomicInteger lastArrival = new AtomicInteger();

    /** A connection that its door has not taken yet, and the room that it takes. */
    private record Waiting(BoxConnection connection, Semaphore room) {}

    void serve(Conversation conversation, BoxConnection connection) {
        try (connection) {
            conversation.say(Json.object());
            pass(conversation, connection.input(), connection.output(), connection::close);
        }
    }

    void serve(Conversation conversation, BoxProgram program) {
        try (program) {
            programs.put(conversation.id(), program);
            conversation.say(Json.object());
            pass(conversation, program.output(), program.input(), program::close);
        } finally {
            programs.remove(conversation.id());
        }
    }

    /** What a program says to be read by people has a window of its own. */
    void errors(Conversation conversation, int program) {
        send(program(program).errors(), conversation);
        conversation.end();
    }

    private BoxProgram program(int number) {
        return find(number).orElseThrow(() -> new BoxdException(ErrorCode.UNAVAILABLE, "the program was closed"));
    }

    Optional<BoxProgram> find(int number) {
        return Optional.ofNullable(programs.get(number));
    }

    ObjectNode await(int program, Deadline deadline) {
        return Happenings.write(program(program).await(deadline));
    }

    /** Until the door leaves: also what has ended can still be asked for. */
    private static void pass(Conversation conversation, InputStream from, OutputStream to, Runnable closing) {
        Thread typing =
                Thread.ofVirtual().name("input-", conversation.id()).start(() -> type(conversation, to, closing));
        send(from, conversation);
        conversation.say(Json.object().put("end", true));
        try {
            if (!typing.join(InsideLimits.LONGEST)) {
                throw new BoxdException(ErrorCode.TIMEOUT, "a door has held this for too long");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "passing bytes on was interrupted", e);
        }
    }

    private static void send(InputStream from, Conversation conversation) {
        byte[] chunk = new byte[InsideLimits.FRAME_BYTES];
        try {
            for (int count = from.read(chunk); count >= 0; count = from.read(chunk)) {
                conversation.send(0, chunk, 0, count);
            }
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, String.valueOf(e.getMessage()), e);
        }
    }

    private static void type(Conversation conversation, OutputStream to, Runnable closing) {
        try {
            while (true) {
                Deadline deadline = Deadline.in(InsideLimits.LONGEST);
                Message message = conversation.take(deadline).orElseThrow(() -> deadline.exceeded("input"));
                if (!type(message, to)) {
                    conversation.stop();
                }
            }
        } catch (BoxdException e) {
            LOG.debug("a door has left", e);
        } finally {
            closing.run();
        }
    }

    /** Whether more is taken. */
    private static boolean type(Message message, OutputStream to) {
        try {
            switch (message) {
                case Message.Data(int _, ByteBuffer bytes) ->
                    to.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
                case Message.End() -> to.close();
                case Message.Text _ -> throw Frame.nonsense("a text where bytes were expected");
            }
            return true;
        } catch (IOException | BoxdException e) {
            LOG.debug("nobody takes what is sent", e);
            return false;
        }
    }

    /** Tells of each connection that comes; the door takes it by a conversation of its own. */
    void serve(Conversation conversation, BoxListener listener) {
        Semaphore room = new Semaphore(WAITING);
        try (listener) {
            conversation.say(Json.object().put("port", listener.port()).put("path", listener.path()));
            StreamVisits.whenLeft(conversation, listener::close);
            while (true) {
                listener.accept(Deadline.in(InsideLimits.LOOK)).ifPresent(arrival -> tell(conversation, arrival, room));
            }
        } finally {
            arrivals.forEach((number, waiting) -> {
                if (waiting.room().equals(room) && arrivals.remove(number, waiting)) {
                    waiting.connection().close();
                }
            });
        }
    }

    private void tell(Conversation conversation, BoxListener.Arrival arrival, Semaphore room) {
        try {
            if (!room.tryAcquire(InsideLimits.SENDING.toNanos(), TimeUnit.NANOSECONDS)) {
                arrival.connection().close(); // nobody at the door takes any
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "listening was interrupted", e);
        }
        int number = lastArrival.incrementAndGet();
        arrivals.put(number, new Waiting(arrival.connection(), room));
        conversation.say(Json.object()
                .put("arrival", number)
                .put("address", arrival.address())
                .put("port", arrival.port()));
    }

    /** A connection of a listener of this door. */
    BoxConnection arrival(int number) {
        Waiting waiting = arrivals.remove(number);
        if (waiting == null) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the connection was closed");
        }
        waiting.room().release();
        return waiting.connection();
    }
}
