package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.BoxStream;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.control.ExecutionStream;
import io.boxd.verbs.Verb;
import java.nio.ByteBuffer;
import java.util.Map;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The server's end of one stream over a WebSocket.
 *
 * <p>Three threads: Jetty's takes messages, one sends what the box says, one types what the client sends. Each message
 * is sent only when the one before has left, so whoever does not read holds up the command and no memory.
 */
public final class StreamSocket implements Session.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(StreamSocket.class);
    private static final int INPUT_CHANNEL = 0;

    private final Control control;
    private final Caller caller;
    private final Verb verb;
    private final Map<String, String> values;
    private final String requestId;
    private final Metrics metrics;
    private final StartMessage start = new StartMessage();
    private final TypedInput input = new TypedInput();
    private volatile @Nullable Outgoing outgoing;
    private volatile @Nullable BoxStream stream;
    private volatile boolean closed;

    /** @param values of the path: which box, which execution */
    StreamSocket(
            Control control, Caller caller, Verb verb, Map<String, String> values, String requestId, Metrics metrics) {
        this.control = control;
        this.caller = caller;
        this.verb = verb;
        this.values = values;
        this.requestId = requestId;
        this.metrics = metrics;
    }

    @Override
    public void onWebSocketOpen(Session session) {
        Outgoing sending = new Outgoing(session);
        outgoing = sending;
        Thread.ofVirtual().name("stream-" + verb.name()).start(() -> run(sending));
        session.demand();
    }

    private void run(Outgoing sending) {
        metrics.streamBegun();
        try (BoxStream opened = open(start.await(requestId))) {
            stream = opened;
            if (closed) {
                return;
            }
            new OutputPump(opened, sending, input).run();
        } catch (BoxdException e) {
            sending.fail(e);
        } catch (RuntimeException e) {
            sending.fail(Errors.known(e, requestId));
        } finally {
            input.close();
            sending.close();
            metrics.streamEnded();
        }
    }

    private BoxStream open(ObjectNode said) {
        values.forEach(said::put);
        return switch (verb.name()) {
            case "exec" -> control.exec(caller, said);
            case "attach" -> control.attach(caller, said);
            case "logs" -> control.logs(caller, said);
            default -> throw new BoxdException(ErrorCode.INTERNAL, verb.name() + " has no stream");
        };
    }

    @Override
    public void onWebSocketText(String text) {
        try {
            take(Json.parse(text));
        } catch (BoxdException e) {
            refuse(e);
            return;
        } catch (RuntimeException e) {
            refuse(Errors.known(e, requestId));
            return;
        }
        demand();
    }

    private void take(JsonNode message) {
        if (!(message instanceof ObjectNode object) || object.size() != 1) {
            throw invalid("a message is a JSON object with one field");
        }
        String kind = object.propertyNames().iterator().next();
        JsonNode value = object.get(kind);
        if (kind.equals("start")) {
            if (!(value instanceof ObjectNode said) || !start.take(said)) {
                throw invalid("'start' is an object, and comes once");
            }
            return;
        }
        if (!start.hasCome()) {
            throw invalid("the first message is a start");
        }
        switch (kind) {
            case "resize" -> resize(value);
            case "signal" -> running().signal(value.asString(""));
            case "end_input" -> input.end();
            default -> throw invalid("there is no such message");
        }
    }

    private void resize(JsonNode size) {
        running().resize(size.path("rows").asInt(0), size.path("columns").asInt(0));
    }

    /** A client that is quick may speak before its command runs. */
    private ExecutionStream running() {
        if (stream instanceof ExecutionStream execution) {
            return execution;
        }
        throw invalid(stream == null ? "the command has not started yet" : "this stream only listens");
    }

    @Override
    public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
        try {
            if (payload.remaining() < 1 || payload.get() != INPUT_CHANNEL) {
                throw invalid("binary messages from a client begin with channel " + INPUT_CHANNEL);
            }
            byte[] bytes = new byte[payload.remaining()];
            payload.get(bytes);
            input.add(bytes);
            callback.succeed();
        } catch (BoxdException e) {
            callback.succeed();
            refuse(e);
            return;
        }
        demand();
    }

    private void demand() {
        Outgoing sending = outgoing;
        if (sending != null) {
            sending.demand();
        }
    }

    /** What the client says is nonsense; the stream ends, the command does not. */
    private void refuse(BoxdException failure) {
        start.fail(failure);
        Outgoing sending = outgoing;
        if (sending != null) {
            sending.fail(failure);
        }
        end();
    }

    @Override
    public void onWebSocketError(Throwable cause) {
        LOG.debug("a stream broke off", cause);
        end();
    }

    @Override
    public void onWebSocketClose(int status, String reason, Callback callback) {
        end();
        callback.succeed();
    }

    private void end() {
        closed = true;
        start.fail(new BoxdException(ErrorCode.UNAVAILABLE, "the client has left"));
        input.close();
        Outgoing sending = outgoing;
        if (sending != null) {
            sending.gone();
        }
        BoxStream open = stream;
        if (open != null) {
            open.close();
        }
    }

    private static BoxdException invalid(String message) {
        return new BoxdException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
