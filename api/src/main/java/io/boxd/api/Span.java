package io.boxd.api;

import io.boxd.common.Json;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One request as a trace shows it.
 *
 * @param name the verb
 * @param startNanos since 1970
 * @param attributes strings, or numbers as {@link Long}
 * @param failed whether the server is to blame for how it ended
 */
record Span(
        TraceContext context,
        String name,
        long startNanos,
        long endNanos,
        Map<String, Object> attributes,
        boolean failed) {
    private static final int SERVER = 2;
    private static final int ERROR = 2;

    Span {
        attributes = Map.copyOf(attributes);
    }

    /** As OTLP writes spans in JSON. */
    ObjectNode json() {
        ObjectNode span = Json.object();
        span.put("traceId", context.trace());
        span.put("spanId", context.span());
        Optional<String> parent = context.parent();
        parent.ifPresent(id -> span.put("parentSpanId", id));
        span.put("name", name);
        span.put("kind", SERVER);
        span.put("startTimeUnixNano", String.valueOf(startNanos));
        span.put("endTimeUnixNano", String.valueOf(endNanos));
        span.set("attributes", attributes(attributes));
        ObjectNode status = span.putObject("status");
        if (failed) {
            status.put("code", ERROR);
        }
        return span;
    }

    /** Numbers of 64 bits are strings there. */
    static ArrayNode attributes(Map<String, Object> attributes) {
        ArrayNode list = Json.array();
        attributes.forEach((key, value) -> {
            ObjectNode attribute = list.addObject().put("key", key);
            ObjectNode typed = attribute.putObject("value");
            if (value instanceof Long number) {
                typed.put("intValue", String.valueOf(number));
            } else {
                typed.put("stringValue", String.valueOf(value));
            }
        });
        return list;
    }
}
