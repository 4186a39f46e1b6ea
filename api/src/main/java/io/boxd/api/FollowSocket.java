package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.control.Following;
import io.boxd.verbs.Verb;
import java.util.Optional;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The server's end of a WebSocket that only tells: after its start, the client has nothing more to say. */
public final class FollowSocket implements Session.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(FollowSocket.class);

    private final Control control;
    private final Caller caller;
    private final Verb verb;
    private final String requestId;
    private final Metrics metrics;
    private final StartMessage start = new StartMessage();
    private volatile @Nullable Outgoing outgoing;
    private volatile @Nullable Following following;
    private volatile boolean closed;

    FollowSocket(Control control, Caller caller, Verb verb, String requestId, Metrics metrics) {
        this.control = control;
        this.caller = caller;
        this.verb = verb;
        this.requestId = requestId;
        this.metrics = metrics;
    }

    @Override
    public void onWebSocketOpen(Session session) {
        Outgoing sending = new Outgoing(session);
        outgoing = sending;
        Thread.ofVirtual().name("follow-" + verb.name()).start(() -> run(sending));
        session.demand();
    }

    private void run(Outgoing sending) {
        metrics.streamBegun();
        try (Following open = control.follow(caller, verb.name(), start.await(requestId))) {
            following = open;
            sending.text(message("started", StreamFacts.started(open)));
            while (!closed) {
                Optional<Following.Told> told = open.next(Deadline.in(ApiLimits.PING));
                if (told.isPresent()) {
                    sending.text(message(told.get().kind(), told.get().json()));
                } else {
                    sending.ping();
                }
            }
        } catch (BoxdException e) {
            sending.fail(e);
        } catch (RuntimeException e) {
            sending.fail(Errors.known(e, requestId));
        } finally {
            sending.close();
            metrics.streamEnded();
        }
    }

    private static ObjectNode message(String kind, ObjectNode content) {
        ObjectNode message = Json.object();
        message.set(kind, content);
        return message;
    }

    @Override
    public void onWebSocketText(String text) {
        try {
            JsonNode said = Json.parse(text).path("start");
            if (!(said instanceof ObjectNode fields) || !start.take(fields)) {
                throw new BoxdException(
                        ErrorCode.INVALID_ARGUMENT, "the only message of this stream's client is one start");
            }
        } catch (BoxdException e) {
            start.fail(e);
            Outgoing sending = outgoing;
            if (sending != null) {
                sending.fail(e);
            }
            end();
            return;
        }
        Outgoing sending = outgoing;
        if (sending != null) {
            sending.demand();
        }
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
        Outgoing sending = outgoing;
        if (sending != null) {
            sending.gone();
        }
        Following open = following;
        if (open != null) {
            open.close();
        }
    }
}
