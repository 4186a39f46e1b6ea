package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.api.StatusCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** Messages to the client of a stream, one after the other; each call returns when its message has left. */
final class Outgoing {
    private static final Logger LOG = LoggerFactory.getLogger(Outgoing.class);

    private final Session session;
    private final ReentrantLock turn = new ReentrantLock();
    private final AtomicBoolean farewell = new AtomicBoolean();
    private volatile boolean over;

    Outgoing(Session session) {
        this.session = session;
    }

    /** The next message may come. */
    void demand() {
        if (!over) {
            session.demand();
        }
    }

    void text(ObjectNode message) {
        send(callback -> session.sendText(Json.write(message), callback));
    }

    /** @param content becomes empty */
    void binary(int channel, ByteBuffer content) {
        while (content.hasRemaining()) {
            int count = Math.min(content.remaining(), ApiLimits.MESSAGE_BYTES);
            ByteBuffer message = ByteBuffer.allocate(1 + count);
            message.put((byte) channel)
                    .put(content.slice(content.position(), count))
                    .flip();
            content.position(content.position() + count);
            send(callback -> session.sendBinary(message, callback));
        }
    }

    void ping() {
        send(callback -> session.sendPing(ByteBuffer.allocate(0), callback));
    }

    private void send(Consumer<Callback> sending) {
        turn.lock();
        try {
            if (over) {
                throw left(null);
            }
            Callback.Completable sent = Callback.Completable.with(sending::accept);
            sent.get(ApiLimits.STALL.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw left(e);
        } catch (TimeoutException e) {
            gone();
            session.disconnect();
            throw left(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw left(e);
        } finally {
            turn.unlock();
        }
    }

    private static BoxdException left(@org.jspecify.annotations.Nullable Exception cause) {
        return new BoxdException(ErrorCode.UNAVAILABLE, "the client has left or does not read", cause);
    }

    /** The last message: the stream cannot go on. */
    void fail(BoxdException failure) {
        if (!farewell.compareAndSet(false, true)) {
            return; // somebody else noticed at the same moment
        }
        try {
            text(Errors.json(failure));
        } catch (BoxdException e) {
            LOG.debug("a client did not hear of a failure", e);
        }
        over = true;
        session.close(StatusCode.SERVER_ERROR, failure.code().wireName(), Callback.NOOP);
    }

    /** Everything was said. */
    void close() {
        if (farewell.compareAndSet(false, true)) {
            over = true;
            session.close(StatusCode.NORMAL, "", Callback.NOOP);
        }
    }

    /** Nobody listens any more. */
    void gone() {
        over = true;
    }
}
