package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/** Answers about the server itself. */
final class OwnRequests {
    private final Supplier<Optional<String>> obstacle;
    private final Metrics metrics;
    private final boolean metricsOpen;
    private final ObjectNode document;

    /**
     * Answers of this server.
     *
     * @param obstacle why no box can be made now; nothing if one can
     * @param metricsOpen whether metrics are told without the token
     */
    OwnRequests(Supplier<Optional<String>> obstacle, Metrics metrics, boolean metricsOpen, ObjectNode document) {
        this.obstacle = obstacle;
        this.metrics = metrics;
        this.metricsOpen = metricsOpen;
        this.document = document;
    }

    /** Whether it is answered without the token, and however often. */
    boolean isOpen(Routes.OwnRequest request) {
        return !request.needsToken() || (request == Routes.OwnRequest.METRICS && metricsOpen);
    }

    void serve(Routes.OwnRequest request, Exchange exchange) throws IOException {
        ApiHandler.requireNone(exchange.query());
        switch (request) {
            case ALIVE -> exchange.answer(Exchange.ok(), Json.object().put("alive", true));
            case READY -> {
                Optional<String> reason = obstacle.get();
                if (reason.isPresent()) {
                    throw new BoxdException(ErrorCode.UNAVAILABLE, reason.get());
                }
                exchange.answer(Exchange.ok(), Json.object().put("ready", true));
            }
            case DOCUMENT -> exchange.answer(Exchange.ok(), document);
            case METRICS -> exchange.answer(Exposition.TYPE, metrics.text());
        }
    }
}
