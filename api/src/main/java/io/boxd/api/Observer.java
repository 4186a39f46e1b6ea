package io.boxd.api;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Sees every request once it is answered: for the metrics, and for a trace if somebody collects them. */
final class Observer {
    private static final int FIRST_SERVER_ERROR = 500;
    private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();

    private final Metrics metrics;
    private final Optional<SpanExporter> exporter;

    Observer(Metrics metrics, Optional<SpanExporter> exporter) {
        this.metrics = metrics;
        this.exporter = exporter;
    }

    /** One request from its beginning on. */
    final class Sight {
        private final Exchange exchange;
        private final Instant start = Instant.now();
        private final long startNanos = System.nanoTime();
        private String name = "none";
        private @Nullable String box;
        private boolean told;

        private Sight(Exchange exchange) {
            this.exchange = exchange;
        }

        /** What the request turned out to be about. */
        void matched(Routes.Match match) {
            name = match.name();
            box = match.values().get("box");
        }

        /** An answer that is a box says its id. */
        void answers(JsonNode answer) {
            String id = answer.path("id").asString("");
            if (id.startsWith("bx_")) {
                box = id;
            }
        }

        /** The answer has begun, or was given; only the first time counts. */
        void answered(int status) {
            if (told) {
                return;
            }
            told = true;
            long took = System.nanoTime() - startNanos;
            metrics.answered(name, status, Duration.ofNanos(took));
            exporter.ifPresent(spans -> spans.add(span(status, took)));
        }

        private Span span(int status, long took) {
            Map<String, Object> attributes = new HashMap<>();
            attributes.put("http.request.method", exchange.method());
            attributes.put("http.response.status_code", (long) status);
            attributes.put("boxd.verb", name);
            attributes.put("boxd.request_id", exchange.id());
            String about = box;
            if (about != null) {
                attributes.put("boxd.box", about);
            }
            long begin = start.getEpochSecond() * SECOND_NANOS + start.getNano();
            return new Span(
                    TraceContext.of(exchange.header(TraceContext.HEADER)),
                    name,
                    begin,
                    begin + took,
                    attributes,
                    status >= FIRST_SERVER_ERROR);
        }
    }

    Sight see(Exchange exchange) {
        return new Sight(exchange);
    }
}
