package io.boxd.api;

import static io.boxd.api.Schema.arrayOf;
import static io.boxd.api.Schema.flag;
import static io.boxd.api.Schema.integer;
import static io.boxd.api.Schema.mapOf;
import static io.boxd.api.Schema.object;
import static io.boxd.api.Schema.oneOf;
import static io.boxd.api.Schema.oneOfWords;
import static io.boxd.api.Schema.orNull;
import static io.boxd.api.Schema.ref;
import static io.boxd.api.Schema.text;
import static io.boxd.api.Schema.time;

import io.boxd.common.Json;
import io.boxd.control.BoxEvents;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/** What events, the audit and webhooks look like, in answers and on their streams. */
final class HistorySchemas {
    private static final List<String> ENTRIES = List.of("deed", "opened", "lost", "recovered", "unsealed");
    private static final List<String> FINDINGS =
            List.of("changed", "missing", "reordered", "truncated", "inserted", "unsealed");

    private HistorySchemas() {}

    /** All shapes by their names. */
    static Map<String, ObjectNode> components() {
        Map<String, ObjectNode> all = new TreeMap<>();
        all.put("Event", object(HistorySchemas::event));
        all.put(
                "Events",
                object(shape -> shape.has("events", arrayOf(ref("Event"))).has("cursor", integer(0))));
        all.put("AuditEntry", object(HistorySchemas::entry));
        all.put("AuditVerification", object(HistorySchemas::verification));
        all.put("AuditFinding", object(HistorySchemas::finding));
        all.put("Webhook", object(HistorySchemas::webhook));
        all.put("AddedWebhook", object(shape -> {
            webhook(shape);
            shape.has("secret", orNull(text()));
        }));
        all.put("TestedWebhook", object(HistorySchemas::tested));
        all.put("DeadLetter", object(HistorySchemas::deadLetter));
        all.put("RetriedLetters", object(HistorySchemas::retried));
        all.put("ForgottenLetters", object(shape -> shape.has("deleted", integer(0))));
        all.put("HistoryStarted", object(shape -> shape.has("after", integer(0))));
        all.put(
                "HistoryMessage",
                oneOf(
                        object(shape -> shape.has("started", ref("HistoryStarted"))),
                        object(shape -> shape.has("event", ref("Event"))),
                        object(shape -> shape.has("entry", ref("AuditEntry"))),
                        ref("Error")));
        return all;
    }

    private static void event(Schema.Shape shape) {
        shape.has("sequence", integer(0))
                .has("time", time())
                .has("kind", oneOfWords(List.copyOf(BoxEvents.KINDS)))
                .has("box_id", orNull(text()))
                .has("box_name", orNull(text()))
                .has("status", orNull(text()))
                .has("cause", text())
                .has("request_id", orNull(text()))
                .has("details", mapOf(Json.object()));
    }

    private static void entry(Schema.Shape shape) {
        shape.has("sequence", integer(1))
                .has("time", time())
                .has("kind", oneOfWords(ENTRIES))
                .has("account", orNull(text()))
                .has("token_id", orNull(text()))
                .has("door", orNull(text()))
                .has("remote", orNull(text()))
                .has("request_id", orNull(text()))
                .has("verb", orNull(text()))
                .has("box_id", orNull(text()))
                .has("box_name", orNull(text()))
                .has("exec_id", orNull(text()))
                .has("subject", orNull(text()))
                .has("outcome", orNull(text()))
                .has("duration_ms", orNull(integer(0)))
                .has("count", integer(0));
    }

    private static void verification(Schema.Shape shape) {
        shape.has("whole", flag())
                .has("entries", integer(0))
                .has("files", integer(0))
                .has("lost", integer(0))
                .has("recovered", integer(0))
                .has("findings", arrayOf(ref("AuditFinding")))
                .has("more_findings", integer(0));
    }

    private static void finding(Schema.Shape shape) {
        shape.has("kind", oneOfWords(FINDINGS))
                .has("file", text())
                .has("line", integer(0))
                .has("sequence", integer(0))
                .has("detail", text());
    }

    private static void webhook(Schema.Shape shape) {
        shape.has("id", text("^wh_"))
                .has("url", text())
                .has("events", arrayOf(text()))
                .has("created_at", time())
                .has("state", oneOfWords(List.of("ok", "failing")))
                .has("cursor", integer(0))
                .has("attempts", integer(0))
                .has("last_failure", orNull(text()))
                .has("next_attempt_at", orNull(time()))
                .has("dead", integer(0));
    }

    private static void tested(Schema.Shape shape) {
        shape.has("delivered", flag())
                .has("status", orNull(integer(100)))
                .has("failure", orNull(text()))
                .has("took_ms", integer(0));
    }

    private static void deadLetter(Schema.Shape shape) {
        shape.has("webhook_id", text("^wh_"))
                .has("sequence", integer(0))
                .has("event", ref("Event"))
                .has("dead_at", time())
                .has("attempts", integer(1))
                .has("last_failure", text());
    }

    private static void retried(Schema.Shape shape) {
        shape.has("delivered", integer(0)).has("left", integer(0)).has("failure", orNull(text()));
    }
}
