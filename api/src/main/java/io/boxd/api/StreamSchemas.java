package io.boxd.api;

import static io.boxd.api.Schema.flag;
import static io.boxd.api.Schema.integer;
import static io.boxd.api.Schema.object;
import static io.boxd.api.Schema.oneOf;
import static io.boxd.api.Schema.orNull;
import static io.boxd.api.Schema.ref;
import static io.boxd.api.Schema.text;

import io.boxd.common.Json;
import io.boxd.control.DoorFields;
import io.boxd.control.Limits;
import io.boxd.verbs.HistoryVerbs;
import io.boxd.verbs.Verb;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** What the messages of streams look like: those of WebSockets, and server-sent events. */
final class StreamSchemas {
    /** The events of a log, in the order in which they can come; the last two end it. */
    static final List<String> EVENTS = List.of("started", "stdout", "stderr", "skipped", "ended", "error");

    private StreamSchemas() {}

    /** The shapes that streams share, by name. */
    static Map<String, ObjectNode> components() {
        Map<String, ObjectNode> all = new TreeMap<>();
        all.put(
                "StreamStarted",
                object(shape -> shape.has("exec_id", orNull(text()))
                        .has("offset", integer(0))
                        .has("tty", flag())
                        .has("snapshot_id", orNull(text()))
                        .has("input_offset", integer(0))));
        all.put("StreamSkipped", object(shape -> shape.has("to", integer(0))));
        all.put(
                "StreamEnded",
                object(shape -> shape.has("exit_code", orNull(integer(0)))
                        .has("signal", orNull(text()))
                        .has("timed_out", flag())
                        .has("duration_ms", orNull(integer(0)))));
        all.put(
                "StreamOutput",
                object(shape ->
                        shape.has("offset", orNull(integer(0))).has("bytes", text().put("contentEncoding", "base64"))));
        all.put(
                "StreamMessage",
                oneOf(
                        object(shape -> shape.has("started", ref("StreamStarted"))),
                        object(shape -> shape.has("input_credit", integer(1))),
                        object(shape -> shape.has("skipped", ref("StreamSkipped"))),
                        object(shape -> shape.has("ended", ref("StreamEnded"))),
                        ref("Error")));
        return all;
    }

    /** The text messages that a client of the verb's socket may send. */
    static ObjectNode fromClient(Verb verb) {
        ObjectNode start = start(verb);
        Stream<ObjectNode> first = Stream.of(object(shape -> shape.has("start", start)));
        Stream<ObjectNode> later = Stream.of(
                object(shape -> shape.has(
                        "resize",
                        object(size -> size.has("rows", integer(1, Limits.TERMINAL_CELLS))
                                .has("columns", integer(1, Limits.TERMINAL_CELLS))))),
                object(shape -> shape.has("signal", text())),
                object(shape -> shape.has("end_input", flag())));
        boolean listensOnly = verb.name().equals("logs") || HistoryVerbs.isFollowed(verb);
        return oneOf((listensOnly ? first : Stream.concat(first, later)).toArray(ObjectNode[]::new));
    }

    private static ObjectNode start(Verb verb) {
        ObjectNode start = ValueSchemas.body(verb, DoorFields.ofStream(verb));
        if (HistoryVerbs.isFollowed(verb) && start.path("properties") instanceof ObjectNode fields) {
            // A stream of these always goes on.
            fields.remove("limit");
            fields.putObject("follow").put("type", "boolean").put("const", true);
        } else {
            ValueSchemas.addRules(verb, start);
        }
        return start;
    }

    /** The text messages that the server sends on the verb's socket. */
    static ObjectNode fromServer(Verb verb) {
        return ref(HistoryVerbs.isFollowed(verb) ? "HistoryMessage" : "StreamMessage");
    }

    /** The data of each server-sent event. */
    static ObjectNode events(Verb verb) {
        ObjectNode events = Json.object();
        if (HistoryVerbs.isFollowed(verb)) {
            events.set("started", ref("HistoryStarted"));
            boolean audit = verb.name().equals("audit");
            events.set(audit ? "entry" : "event", ref(audit ? "AuditEntry" : "Event"));
            events.set("error", ref("Error"));
            return events;
        }
        for (String event : EVENTS) {
            events.set(
                    event,
                    ref(
                            switch (event) {
                                case "started" -> "StreamStarted";
                                case "skipped" -> "StreamSkipped";
                                case "ended" -> "StreamEnded";
                                case "error" -> "Error";
                                default -> "StreamOutput";
                            }));
        }
        return events;
    }
}
