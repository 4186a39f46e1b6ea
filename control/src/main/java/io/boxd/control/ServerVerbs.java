package io.boxd.control;

import io.boxd.common.Json;
import io.boxd.worker.Boxes;
import io.boxd.worker.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The server itself. */
final class ServerVerbs {
    private final Supplier<ServerFacts> facts;
    private final String acceleratorReason;

    ServerVerbs(Supplier<ServerFacts> facts, String acceleratorReason) {
        this.facts = facts;
        this.acceleratorReason = acceleratorReason;
    }

    Map<String, Handler> handlers() {
        return Map.of("status", this::status);
    }

    /** How many boxes are in each status, in the order of a box's life. */
    static Map<String, Long> census(Boxes boxes) {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (Status status : Status.values()) {
            counts.put(status.wireName(), 0L);
        }
        boxes.list().forEach(box -> counts.merge(box.status().wireName(), 1L, Long::sum));
        return counts;
    }

    private JsonNode status(Asked asked) {
        ServerFacts server = facts.get();
        ObjectNode answer = Json.tree(server);
        ObjectNode counts = answer.putObject("boxes");
        census(asked.boxes()).forEach((status, count) -> {
            if (count > 0) {
                counts.put(status, count);
            }
        });
        answer.put("spare_machines", asked.boxes().spareMachines());
        Duration uptime = Duration.between(Instant.parse(server.startedAt()), Instant.now());
        answer.put("uptime_s", Math.max(0, uptime.toSeconds()));
        answer.put("accel_reason", acceleratorReason);
        return answer;
    }
}
