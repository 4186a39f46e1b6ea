package io.boxd.control;

import io.boxd.chronicle.AuditEntry;
import io.boxd.chronicle.AuditFollower;
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
    private static final int MOST = 1000;
    private static final int USUAL = 100;
    private static final Duration READING = Duration.ofSeconds(30);
    private static final Duration VERIFYING = Duration.ofMinutes(9);

    private final Chronicle chronicle;

    ChronicleVerbs(Chronicle chronicle) {
        this.chronicle = chronicle;
    }

    Map<String, Handler> handlers() {
        return Map.of("events", this::events, "audit", this::audit, "audit verify", _ -> verify());
    }

    private static void requireNoFollowing(Parameters said) {
        if (said.flag("follow")) {
            throw Failures.invalid("what is followed is a stream", "Ask for a WebSocket, or for server-sent events.");
        }
    }

    private JsonNode events(Parameters said) {
        requireNoFollowing(said);
        int most = said.count("limit", MOST).orElse(USUAL);
        Optional<Long> after = said.number("after");
        EventQuestion question = eventQuestion(said);
        List<Event> events = after.isPresent()
                ? chronicle.feed().after(after.get(), question, most)
                : chronicle.feed().newest(question, most);
        ObjectNode answer = Json.object();
        ArrayNode list = answer.putArray("events");
        events.forEach(event -> list.add(Happenings.event(event)));
        Optional<Long> cursor =
                events.isEmpty() ? after : Optional.of(events.getLast().sequence());
        // Whoever has seen all there is need not look at what does not fit again.
        long last = chronicle.feed().last();
        boolean all = events.size() < most && after.orElse(0L) <= last;
        answer.put("cursor", all && last > 0 ? (Long) last : cursor.orElse(null));
        return answer;
    }

    private static EventQuestion eventQuestion(Parameters said) {
        return new EventQuestion(since(said), said.text("box"), Set.of());
    }

    private static Optional<Instant> since(Parameters said) {
        return said.seconds("since_s").map(time -> Instant.now().minus(time));
    }

    /** @param after the last event that somebody has seen already, if he says so elsewhere */
    Following followEvents(Parameters said, Optional<Long> after) {
        EventQuestion question = eventQuestion(said);
        long position = after.or(() -> said.number("after"))
                .or(() -> question.since().map(chronicle.feed()::lastBefore))
                .orElseGet(chronicle.feed()::last);
        return new EventFollowing(chronicle.feed(), question, position);
    }

    private static AuditQuestion auditQuestion(Parameters said) {
        return new AuditQuestion(
                since(said),
                said.text("box"),
                said.text("verb"),
                said.count("limit", MOST).orElse(USUAL));
    }

    private JsonNode audit(Parameters said) {
        requireNoFollowing(said);
        ArrayNode list = Json.array();
        chronicle
                .audit()
                .entries(auditQuestion(said), Deadline.in(READING))
                .forEach(entry -> list.add(Happenings.entry(entry)));
        return list;
    }

    Following followAudit(Parameters said) {
        AuditQuestion question = auditQuestion(said);
        AuditFollower follower = chronicle.audit().follow(question, Deadline.in(READING));
        List<AuditEntry> before = question.since().isEmpty()
                ? List.of()
                : chronicle.audit().entries(question, Deadline.in(READING)).stream()
                        .filter(entry -> entry.sequence() <= follower.start())
                        .toList();
        return new AuditFollowing(before, follower);
    }

    private JsonNode verify() {
        return Happenings.verification(chronicle.audit().verify(Deadline.in(VERIFYING)));
    }
}
