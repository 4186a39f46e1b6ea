package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.control.Control;
import io.boxd.control.Credential;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** Answers those whom nobody knows yet; from each address a few, since each may cost a request elsewhere. */
final class EntranceRequests {
    private static final int EACH_SECOND = 5;

    private final Control control;
    private final RateLimits limits = new RateLimits(EACH_SECOND, System::nanoTime);

    EntranceRequests(Control control) {
        this.control = control;
    }

    void serve(Routes.EntranceRequest request, Map<String, String> values, Exchange exchange) throws IOException {
        ApiHandler.requireNone(exchange.query());
        if (request != Routes.EntranceRequest.WAYS) {
            limits.take(exchange.remoteAddress()).ifPresent(wait -> {
                exchange.set("Retry-After", String.valueOf(wait.toSeconds() + 1));
                throw new BoxdException(
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "too many people come in from your address just now",
                        "Wait as long as the header Retry-After says.",
                        null);
            });
        }
        exchange.answer(Exchange.ok(), answer(request, values, exchange));
    }

    private ObjectNode answer(Routes.EntranceRequest request, Map<String, String> values, Exchange exchange) {
        return switch (request) {
            case WAYS -> control.ways();
            case BEGIN -> {
                body(exchange, Set.of(), Set.of());
                Gate.token(exchange.atTheGate())
                        .map(Credential.Token::new)
                        .ifPresent(token -> exchange.comesFrom(control.identify(exchange.caller(), token)));
                yield control.beginLogin(exchange.caller());
            }
            case ASK -> {
                body(exchange, Set.of(), Set.of());
                yield control.login(exchange.caller(), Objects.requireNonNull(values.get("login")));
            }
            case ENTER -> {
                ObjectNode body = body(exchange, Set.of("invitation", "name"), Set.of("key"));
                yield control.enter(
                        exchange.caller(),
                        body.path("invitation").asString(),
                        body.path("name").asString(),
                        Optional.ofNullable(body.path("key").asString(null)));
            }
        };
    }

    /** Texts only, these and no others. */
    private static ObjectNode body(Exchange exchange, Set<String> needed, Set<String> possible) {
        ObjectNode body = exchange.jsonBody();
        for (String field : body.propertyNames()) {
            boolean known = needed.contains(field) || possible.contains(field);
            if (!known || !body.path(field).isString()) {
                throw new BoxdException(
                        ErrorCode.INVALID_ARGUMENT,
                        known ? "'" + field + "' is a string" : "there is no such field here",
                        "/openapi.json says what there is.",
                        null);
            }
        }
        for (String field : needed) {
            if (!body.has(field)) {
                throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "'" + field + "' is missing");
            }
        }
        return body;
    }
}
