package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.control.Credential;
import io.boxd.control.DoorFields;
import io.boxd.verbs.HistoryVerbs;
import io.boxd.verbs.Route;
import io.boxd.verbs.Verb;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Answers requests: lets them through the gate, finds what they are about, and does it. */
final class ApiHandler extends Handler.Abstract {
    static final String PROTOCOL = "boxd.v1";
    static final String REPEATABLE = "Idempotency-Key";
    private static final Logger LOG = LoggerFactory.getLogger(ApiHandler.class);
    private static final int SWITCHING = 101;
    private static final int CREATED = 201;

    private final Control control;
    private final Gate gate;
    private final Routes routes;
    private final RateLimits limits;
    private final Metrics metrics;
    private final Observer observer;
    private final OwnRequests own;
    private final Refusals refusals;
    private final FileRequests files;
    private final EntranceRequests entrance;

    ApiHandler(
            Control control,
            Gate gate,
            Routes routes,
            RateLimits limits,
            Metrics metrics,
            Observer observer,
            OwnRequests own) {
        this.control = control;
        this.gate = gate;
        this.routes = routes;
        this.limits = limits;
        this.metrics = metrics;
        this.observer = observer;
        this.own = own;
        this.refusals = new Refusals(control);
        this.files = new FileRequests(control);
        this.entrance = new EntranceRequests(control);
    }

    /** The status of a verb's answer when all went well. */
    static int successStatus(Verb verb) {
        return verb.creates() ? CREATED : Exchange.ok();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Exchange exchange = new Exchange(request, response);
        Observer.Sight sight = observer.see(exchange);
        boolean elsewhere = false;
        try {
            elsewhere = serve(exchange, sight, request, response, callback);
            if (!elsewhere) {
                callback.succeeded();
            }
        } catch (Exception e) {
            fail(exchange, e, callback);
        } finally {
            sight.answered(elsewhere ? SWITCHING : exchange.status());
        }
        return true;
    }

    private static void fail(Exchange exchange, Exception thrown, Callback callback) {
        if (exchange.isAnswered()) {
            LOG.debug("the answer to {} broke off", exchange.id(), thrown);
            callback.failed(thrown);
            return;
        }
        try {
            exchange.refuse(Errors.known(thrown, exchange.id()));
            callback.succeeded();
        } catch (IOException e) {
            callback.failed(e);
        }
    }

    /** Whether the answer is somebody else's from now on. */
    private boolean serve(
            Exchange exchange, Observer.Sight sight, Request request, Response response, Callback callback)
            throws IOException {
        refusals.check(exchange, gate::requireOwn);
        Optional<Routes.Match> match = routes.match(exchange.method(), exchange.path(), exchange.asksForSocket())
                .map(found -> exchange.prefers(EventWriter.TYPE) ? found.asEvents() : found);
        match.ifPresent(sight::matched);
        if (match.isPresent() && match.get().target() instanceof Routes.Target.Own(var asked) && own.isOpen(asked)) {
            own.serve(asked, exchange);
            return false;
        }
        if (match.isPresent() && match.get().target() instanceof Routes.Target.Entrance(var asked)) {
            limit(exchange.remoteAddress(), exchange);
            entrance.serve(asked, match.get().values(), exchange);
            return false;
        }
        refusals.check(exchange, _ -> identify(exchange));
        if (match.isEmpty()) {
            refuseMethod(exchange);
            return false;
        }
        Map<String, String> values = match.get().values();
        switch (match.get().target()) {
            case Routes.Target.Own(Routes.OwnRequest asked) -> own.serve(asked, exchange);
            case Routes.Target.Entrance(Routes.EntranceRequest asked) -> entrance.serve(asked, values, exchange);
            case Routes.Target.Call(Verb verb) -> call(verb, values, exchange, sight);
            case Routes.Target.Files(Routes.FileRequest asked) -> files.serve(asked, box(values), exchange);
            case Routes.Target.Events(Verb verb) -> events(verb, values, exchange, sight);
            case Routes.Target.Stream(Verb verb) -> {
                requireUpgrade(exchange);
                control.requireBox(exchange.caller(), verb, box(values));
                upgrade(
                        new StreamSocket(control, exchange.caller(), verb, values, exchange.id(), metrics),
                        request,
                        response,
                        callback);
                return true;
            }
            case Routes.Target.Follow(Verb verb) -> {
                requireUpgrade(exchange);
                upgrade(
                        new FollowSocket(control, exchange.caller(), verb, exchange.id(), metrics),
                        request,
                        response,
                        callback);
                return true;
            }
        }
        return false;
    }

    /** Strangers are counted by their addresses, so that they take nothing from those who are known. */
    private void identify(Exchange exchange) {
        Caller caller;
        try {
            String secret = Gate.token(exchange.atTheGate()).orElseThrow(ApiHandler::noToken);
            caller = control.identify(exchange.caller(), new Credential.Token(secret));
        } catch (BoxdException e) {
            limit(exchange.remoteAddress(), exchange);
            throw e;
        }
        exchange.comesFrom(caller);
        limit(caller.who().orElseThrow().user(), exchange);
    }

    private static BoxdException noToken() {
        return new BoxdException(
                ErrorCode.UNAUTHENTICATED,
                "the request carries no token",
                "Send it as 'Authorization: Bearer TOKEN'. Get one: boxd login, or boxd token create.",
                null);
    }

    private void limit(String caller, Exchange exchange) {
        Optional<Duration> wait = limits.take(caller);
        if (wait.isPresent()) {
            metrics.refusedByRate();
            exchange.set("Retry-After", String.valueOf(wait.get().toSeconds() + 1));
            throw new BoxdException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "more requests than this server takes from one caller",
                    "Wait as long as the header Retry-After says. The limit is rate_limit in the configuration.",
                    null);
        }
    }

    private void refuseMethod(Exchange exchange) throws IOException {
        Set<String> methods = routes.methods(exchange.path());
        if (exchange.method().equals("GET") && !exchange.asksForSocket() && methods.contains(Routes.SOCKET)) {
            exchange.set("Upgrade", "websocket");
            exchange.answer(Exchange.UPGRADE_REQUIRED, Errors.json(notSpoken()));
            return;
        }
        exchange.set(
                "Allow",
                methods.stream()
                        .map(method -> method.equals(Routes.SOCKET) ? "GET" : method)
                        .distinct()
                        .sorted()
                        .collect(Collectors.joining(", ")));
        exchange.answer(
                Exchange.METHOD_NOT_ALLOWED,
                Errors.json(new BoxdException(
                        ErrorCode.NOT_FOUND,
                        "this path is not asked for with " + (exchange.asksForSocket() ? "a WebSocket" : "this method"),
                        "/openapi.json lists the paths of the API.",
                        null)));
    }

    private static String box(Map<String, String> values) {
        return Objects.requireNonNull(values.get("box"));
    }

    private void call(Verb verb, Map<String, String> values, Exchange exchange, Observer.Sight sight)
            throws IOException {
        boolean inQuery =
                verb.route().method() == Route.Method.GET || verb.route().method() == Route.Method.DELETE;
        Map<String, List<String>> query = exchange.query();
        if (!inQuery) {
            requireNone(query);
        }
        Optional<Paging> paging = Paging.applies(verb) ? Optional.of(Paging.of(verb, query)) : Optional.empty();
        ObjectNode said = inQuery
                ? QueryValues.of(verb, paging.map(Paging::others).orElse(query), Map.of())
                : exchange.jsonBody();
        addValues(said, values);
        JsonNode answer = control.call(exchange.caller(), verb.name(), said, exchange.header(REPEATABLE));
        sight.answers(answer);
        if (paging.isPresent()) {
            Paging.Page page = paging.get().of(answer);
            page.next().ifPresent(next -> exchange.set("Link", "<" + exchange.path() + "?" + next + ">; rel=\"next\""));
            answer = page.elements();
        }
        exchange.answer(successStatus(verb), answer);
    }

    static void requireNone(Map<String, List<String>> query) {
        if (!query.isEmpty()) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "this request takes no query");
        }
    }

    private void events(Verb verb, Map<String, String> values, Exchange exchange, Observer.Sight sight)
            throws IOException {
        if (!exchange.accepts(EventWriter.TYPE)) {
            exchange.set("Upgrade", "websocket");
            exchange.answer(Exchange.UPGRADE_REQUIRED, Errors.json(notSpoken()));
            return;
        }
        ObjectNode said = QueryValues.of(verb, exchange.query(), DoorFields.ofStream(verb));
        addValues(said, values);
        if (HistoryVerbs.isFollowed(verb)) {
            HistoryEvents.serve(control, verb, said, exchange, metrics, sight);
        } else {
            LogEvents.serve(control, said, exchange, metrics, sight);
        }
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

    private static void requireUpgrade(Exchange exchange) {
        if (!exchange.speaks(PROTOCOL)) {
            throw notSpoken(); // Jetty would leave the client without an answer
        }
        requireNone(exchange.query());
    }

    private static void upgrade(Session.Listener socket, Request request, Response response, Callback callback) {
        ServerWebSocketContainer sockets = ServerWebSocketContainer.get(request.getContext());
        boolean upgraded = sockets.upgrade(
                (_, answer, _) -> {
                    answer.setAcceptedSubProtocol(PROTOCOL);
                    return socket;
                },
                request,
                response,
                callback);
        if (!upgraded) {
            throw notSpoken();
        }
    }

    private static BoxdException notSpoken() {
        return new BoxdException(ErrorCode.INVALID_ARGUMENT, "a stream is a WebSocket of the subprotocol " + PROTOCOL);
    }
}
