package io.boxd.control;

import io.boxd.common.Json;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import io.boxd.worker.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The server itself. */
final class ServerVerbs {
    private final Boxes boxes;
    private final Supplier<ServerFacts> facts;
    private final String acceleratorReason;

    ServerVerbs(Boxes boxes, Supplier<ServerFacts> facts, String acceleratorReason) {
        this.boxes = boxes;
        this.facts = facts;
        this.acceleratorReason = acceleratorReason;
    }

    Map<String, Handler> handlers() {
        return Map.of("status", _ -> status());
    }

    private JsonNode status() {
        ServerFacts server = facts.get();
        ObjectNode answer = Json.tree(server);
        ObjectNode counts = answer.putObject("boxes");
        for (Status status : Status.values()) {
            long count = boxes.list().stream()
                    .map(Box::status)
                    .filter(status::equals)
                    .count();
            if (count > 0) {
                counts.put(status.wireName(), count);
            }
        }
        answer.put("spare_machines", boxes.spareMachines());
        Duration uptime = Duration.between(Instant.parse(server.startedAt()), Instant.now());
        answer.put("uptime_s", Math.max(0, uptime.toSeconds()));
        answer.put("accel_reason", acceleratorReason);
        return answer;
    }
}
