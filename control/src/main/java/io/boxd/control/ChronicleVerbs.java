package io.boxd.control;

import io.boxd.chronicle.AuditQuestion;
import io.boxd.chronicle.Chronicle;
import io.boxd.chronicle.Event;
import io.boxd.chronicle.EventQuestion;
import io.boxd.common.Deadline;
import io.boxd.common.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What happened, and who did it: events and the audit. */
final class ChronicleVerbs {
    private static final int USUAL = 100;
    private static final Duration READING = Duration.ofSeconds(30);
    private static final Duration VERIFYING = Duration.ofMinutes(9);

    private final Chronicle chronicle;
    private final Guard guard;

    ChronicleVerbs(Chronicle chronicle, Guard guard) {
        this.chronicle = chronicle;
        this.guard = guard;
    }

    Map<String, Handler> handlers() {
        return Map.of("events", this::events, "audit", this::audit, "audit verify", _ -> verify());
    }

    private static void requireNoFollowing(Parameters said) {
        if (said.flag("follow")) {
            throw Failures.invalid("what is followed is a stream", "Ask for a WebSocket, or for server-sent events.");
        }
    }

    private JsonNode events(Asked asked) {
        Parameters said = asked.said();
        requireNoFollowing(said);
        int most = said.count("limit", Limits.TOLD_AT_ONCE).orElse(USUAL);
        Optional<Long> after = said.number("after");
        EventQuestion question = eventQuestion(asked);
        // Before anything is looked at: what comes meanwhile is seen, or stands behind the cursor.
        long last = chronicle.feed().last();
        List<Event> events = after.isPresent()
                ? chronicle.feed().after(after.get(), question, most)
                : chronicle.feed().newest(question, most);
        ObjectNode answer = Json.object();
        ArrayNode list = answer.putArray("events");
        events.forEach(event -> list.add(HistoryAnswers.event(event)));
        long seen = events.isEmpty() ? after.orElse(0L) : events.getLast().sequence();
        boolean more = after.isPresent() && events.size() == most;
        // Whoever has seen all there is need not look at what does not fit again.
        answer.put("cursor", more ? seen : Math.max(seen, last));
        return answer;
    }

    private EventQuestion eventQuestion(Asked asked) {
        Parameters said = asked.said();
        return new EventQuestion(since(said), said.text("box"), Set.of(), new SeenEvents(asked, guard));
    }

    private static Optional<Instant> since(Parameters said) {
        return said.seconds("since_s").map(time -> Instant.now().minus(time));
    }

    Following followEvents(Asked asked) {
        Parameters said = asked.said();
        EventQuestion question = eventQuestion(asked);
        long position = said.number("after")
                .or(() -> question.since().map(chronicle.feed()::lastBefore))
                .orElseGet(chronicle.feed()::last);
        return new EventFollowing(chronicle.feed(), question, position);
    }

    private static AuditQuestion auditQuestion(Parameters said) {
        return new AuditQuestion(
                said.number("after"),
                since(said),
                said.text("box"),
                said.text("verb"),
                said.count("limit", Limits.TOLD_AT_ONCE).orElse(USUAL));
    }

    private JsonNode audit(Asked asked) {
        Parameters said = asked.said();
        requireNoFollowing(said);
        ArrayNode list = Json.array();
        chronicle
                .audit()
                .entries(auditQuestion(said), Deadline.in(READING))
                .forEach(entry -> list.add(HistoryAnswers.entry(entry)));
        return list;
    }

    Following followAudit(Asked asked) {
        return new AuditFollowing(chronicle.audit().follow(auditQuestion(asked.said()), Deadline.in(READING)));
    }

    private JsonNode verify() {
        return HistoryAnswers.verification(chronicle.audit().verify(Deadline.in(VERIFYING)));
    }
}
