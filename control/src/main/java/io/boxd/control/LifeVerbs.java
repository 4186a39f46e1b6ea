package io.boxd.control;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.worker.Move;
import io.boxd.worker.Moved;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** How awake boxes are: the moves, busy, why, top. */
final class LifeVerbs {
    private final Answers answers;

    LifeVerbs(Answers answers) {
        this.answers = answers;
    }

    Map<String, Handler> handlers() {
        Map<String, Handler> handlers = new HashMap<>();
        for (Move move : Move.values()) {
            handlers.put(move.name().toLowerCase(Locale.ROOT), asked -> move(asked, move));
        }
        handlers.put("busy", this::busy);
        handlers.put("why", asked -> Answers.why(asked.boxes().why(asked.said().required("box"))));
        handlers.put("top", LifeVerbs::top);
        return handlers;
    }

    private JsonNode move(Asked asked, Move move) {
        Moved moved = asked.boxes().move(asked.said().required("box"), move, Deadline.in(Limits.MOVE));
        ObjectNode answer = answers.box(moved.box());
        answer.put("changed", moved.changed());
        Duration took = moved.took();
        switch (move) {
            case PAUSE -> answer.put("suspend_us", TimeUnit.NANOSECONDS.toMicros(took.toNanos()));
            case RESUME -> answer.put("resume_us", TimeUnit.NANOSECONDS.toMicros(took.toNanos()));
            case HIBERNATE -> answer.put("hibernate_ms", took.toMillis());
            case WAKE -> answer.put("wake_ms", took.toMillis());
            case STOP, START, REBOOT -> answer.put("took_ms", took.toMillis());
        }
        return answer;
    }

    private JsonNode busy(Asked asked) {
        String box = asked.box().id();
        Duration time = asked.said().seconds("for_s").orElseThrow(() -> Failures.invalid("no time was said"));
        Instant until = asked.boxes().busy(box, time, Deadline.in(Limits.WAKE));
        return Json.object().put("box_id", box).put("until", Answers.time(until));
    }

    private static JsonNode top(Asked asked) {
        ArrayNode list = Json.array();
        asked.boxes().figures().forEach(figures -> list.add(Answers.figures(figures)));
        return list;
    }
}
