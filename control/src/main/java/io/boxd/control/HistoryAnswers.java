package io.boxd.control;

import io.boxd.chronicle.AuditEntry;
import io.boxd.chronicle.DeadLetter;
import io.boxd.chronicle.Deed;
import io.boxd.chronicle.Event;
import io.boxd.chronicle.Verification;
import io.boxd.chronicle.WebhookView;
import io.boxd.common.Json;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Events, entries of the audit and webhooks as users see them in JSON. */
final class HistoryAnswers {
    private HistoryAnswers() {}

    static ObjectNode event(Event event) {
        ObjectNode answer = Json.object();
        answer.put("sequence", event.sequence());
        answer.put("time", Answers.time(event.at()));
        answer.put("kind", event.kind());
        answer.put("box_id", event.subject().orElse(null));
        answer.put("box_name", event.name().orElse(null));
        answer.put("status", event.status().orElse(null));
        answer.put("cause", event.cause());
        answer.put("request_id", event.request().orElse(null));
        answer.set("details", Json.tree(event.details()));
        return answer;
    }

    static ObjectNode entry(AuditEntry entry) {
        Optional<Deed> deed = entry.deed();
        ObjectNode answer = Json.object();
        answer.put("sequence", entry.sequence());
        answer.put("time", Answers.time(deed.map(Deed::at).orElse(entry.at())));
        answer.put("kind", entry.kind().name().toLowerCase(Locale.ROOT));
        answer.put("account", deed.map(Deed::account).orElse(null));
        answer.put("token_id", deed.flatMap(Deed::token).orElse(null));
        answer.put("door", deed.map(Deed::door).orElse(null));
        answer.put("remote", deed.map(Deed::remote).orElse(null));
        answer.put("request_id", deed.flatMap(Deed::request).orElse(null));
        answer.put("verb", deed.map(Deed::verb).orElse(null));
        answer.put("box_id", deed.flatMap(Deed::boxId).orElse(null));
        answer.put("box_name", deed.flatMap(Deed::boxName).orElse(null));
        answer.put("exec_id", deed.flatMap(Deed::execution).orElse(null));
        answer.put("subject", deed.flatMap(Deed::subject).orElse(null));
        answer.put("outcome", deed.map(Deed::outcome).orElse(null));
        answer.put("duration_ms", deed.map(Deed::durationMillis).orElse(null));
        answer.put("count", entry.count());
        return answer;
    }

    static ObjectNode verification(Verification verification) {
        ObjectNode answer = Json.object();
        answer.put("whole", verification.isWhole());
        answer.put("entries", verification.entries());
        answer.put("files", verification.files());
        answer.put("lost", verification.lost());
        answer.put("recovered", verification.recovered());
        ArrayNode findings = answer.putArray("findings");
        for (Verification.Finding finding : verification.findings()) {
            findings.addObject()
                    .put("kind", finding.kind().name().toLowerCase(Locale.ROOT))
                    .put("file", finding.file())
                    .put("line", finding.line())
                    .put("sequence", finding.sequence())
                    .put("detail", finding.detail());
        }
        answer.put("more_findings", verification.more());
        return answer;
    }

    static ObjectNode webhook(WebhookView hook) {
        ObjectNode answer = Json.object();
        answer.put("id", hook.id());
        answer.put("url", hook.url());
        ArrayNode kinds = answer.putArray("events");
        hook.kinds().forEach(kinds::add);
        answer.put("created_at", Answers.time(hook.createdAt()));
        answer.put("state", hook.attempts() > 0 && hook.failure().isPresent() ? "failing" : "ok");
        answer.put("cursor", hook.cursor());
        answer.put("attempts", hook.attempts());
        answer.put("last_failure", hook.failure().orElse(null));
        answer.put("next_attempt_at", Answers.time(hook.nextAttempt()));
        answer.put("dead", hook.dead());
        return answer;
    }

    static ObjectNode deadLetter(DeadLetter letter) {
        ObjectNode answer = Json.object();
        answer.put("webhook_id", letter.hook());
        answer.put("sequence", letter.event().sequence());
        answer.set("event", event(letter.event()));
        answer.put("dead_at", Answers.time(letter.at()));
        answer.put("attempts", letter.attempts());
        answer.put("last_failure", letter.failure());
        return answer;
    }
}
