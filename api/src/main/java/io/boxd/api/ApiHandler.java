package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.Control;
import io.boxd.verbs.Route;
import io.boxd.verbs.Verb;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** Answers requests: lets them through the gate, finds what they are about, and does it. */
final class ApiHandler extends Handler.Abstract {
    private static final Logger LOG = LoggerFactory.getLogger(ApiHandler.class);
    private static final String PROTOCOL = "boxd.v1";
    private static final int CREATED = 201;
    private static final String REPEATABLE = "Idempotency-Key";

    private final Control control;
    private final Gate gate;
    private final Supplier<Optional<String>> obstacle;
    private final Routes routes = new Routes();
    private final FileRequests files;

    /** @param obstacle why no box can be made now; nothing if one can */
    ApiHandler(Control control, Gate gate, Supplier<Optional<String>> obstacle) {
        this.control = control;
        this.gate = gate;
        this.obstacle = obstacle;
        this.files = new FileRequests(control.files());
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Exchange exchange = new Exchange(request, response);
        try {
            if (!serve(exchange, request, response, callback)) {
                callback.succeeded();
            }
        } catch (Exception e) {
            fail(exchange, e, callback);
        }
        return true;
    }

    private static void fail(Exchange exchange, Exception thrown, Callback callback) {
        if (exchange.isAnswered()) {
            LOG.debug("an answer broke off", thrown);
            callback.failed(thrown);
            return;
        }
        try {
            exchange.refuse(Errors.known(thrown));
            callback.succeeded();
        } catch (IOException e) {
            callback.failed(e);
        }
    }

    /** Whether the answer is somebody else's from now on. */
    private boolean serve(Exchange exchange, Request request, Response response, Callback callback) throws IOException {
        Gate.Request atTheGate = exchange.atTheGate();
        gate.requireOwn(atTheGate);
        if (exchange.method().equals("GET") && exchange.path().equals("/healthz")) {
            exchange.answer(Exchange.ok(), Json.object().put("alive", true));
            return false;
        }
        if (exchange.method().equals("GET") && exchange.path().equals("/readyz")) {
            ready(exchange);
            return false;
        }
        gate.requireToken(atTheGate);
        Routes.Match match = routes.match(exchange.method(), exchange.path(), exchange.asksForSocket());
        switch (match.target()) {
            case Routes.Target.Call(Verb verb) -> {
                ObjectNode said = said(verb, exchange);
                addValues(said, match.values());
                int status = Control.CREATING.contains(verb.name()) ? CREATED : Exchange.ok();
                exchange.answer(status, control.call(verb.name(), said, exchange.header(REPEATABLE)));
            }
            case Routes.Target.Files(Routes.FileRequest files1) ->
                files.serve(files1, Objects.requireNonNull(match.values().get("box")), exchange);
            case Routes.Target.Stream(Verb verb) -> {
                upgrade(verb, match.values(), exchange, request, response, callback);
                return true;
            }
        }
        return false;
    }

    private void ready(Exchange exchange) throws IOException {
        Optional<String> reason = obstacle.get();
        if (reason.isPresent()) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, reason.get());
        }
        exchange.answer(Exchange.ok(), Json.object().put("ready", true));
    }

    private static ObjectNode said(Verb verb, Exchange exchange) {
        boolean inQuery =
                verb.route().method() == Route.Method.GET || verb.route().method() == Route.Method.DELETE;
        return inQuery ? QueryValues.of(verb, exchange.query()) : exchange.jsonBody();
    }

    /** The path decides, whatever else was said. */
    private static void addValues(ObjectNode said, Map<String, String> values) {
        values.forEach((field, value) -> {
            if (said.has(field)) {
                throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "'" + field + "' is said in the path already");
            }
            said.put(field, value);
        });
    }

    private void upgrade(
            Verb verb,
            Map<String, String> values,
            Exchange exchange,
            Request request,
            Response response,
            Callback callback)
            throws IOException {
        if (!exchange.speaks(PROTOCOL)) {
            throw notSpoken(); // Jetty would leave the client without an answer
        }
        control.requireBox(Objects.requireNonNull(values.get("box")));
        ServerWebSocketContainer sockets = ServerWebSocketContainer.get(request.getContext());
        boolean upgraded = sockets.upgrade(
                (_, answer, _) -> {
                    answer.setAcceptedSubProtocol(PROTOCOL);
                    return new StreamSocket(control, verb, values);
                },
                request,
                response,
                callback);
        if (!upgraded) {
            exchange.refuse(notSpoken());
            callback.succeeded();
        }
    }

    private static BoxdException notSpoken() {
        return new BoxdException(ErrorCode.INVALID_ARGUMENT, "a stream is a WebSocket of the subprotocol " + PROTOCOL);
    }
}
