package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.control.Following;
import io.boxd.verbs.Verb;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/** What goes on happening, as server-sent events; the id of each is its number, behind which a client goes on. */
final class HistoryEvents {
    static final String ID_PATTERN = "^[0-9]{1,18}$";
    private static final Pattern ID = Pattern.compile(ID_PATTERN);

    private HistoryEvents() {}

    /** Answers with events until the client leaves, which shows when it is written to. */
    static void serve(
            Control control, Verb verb, ObjectNode said, Exchange exchange, Metrics metrics, Observer.Sight sight) {
        exchange.header(LogEvents.LAST_EVENT).ifPresent(id -> goOn(said, id));
        Caller caller = exchange.caller();
        try (Following following = control.follow(caller, verb.name(), said)) {
            EventWriter events = EventWriter.begin(exchange);
            sight.answered(exchange.status());
            metrics.streamBegun();
            try {
                events.event("started", id(following.position()), StreamFacts.started(following));
                run(following, events);
            } catch (RuntimeException e) {
                events.event("error", Optional.empty(), Errors.json(Errors.known(e, exchange.id())));
                events.end();
            } finally {
                metrics.streamEnded();
            }
        }
    }

    private static void goOn(ObjectNode said, String id) {
        if (!ID.matcher(id).matches()) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    LogEvents.LAST_EVENT + " is the id of an event that this server has sent");
        }
        // Whoever comes back says what he said the first time, too; what he has seen since then counts.
        said.remove("since_s");
        said.put("after", Long.parseLong(id));
    }

    private static void run(Following following, EventWriter events) {
        while (true) {
            Optional<Following.Told> told = following.next(Deadline.in(ApiLimits.PING));
            if (told.isPresent()) {
                events.event(told.get().kind(), id(told.get().id()), told.get().json());
            } else {
                events.heartbeat();
            }
        }
    }

    private static Optional<String> id(long number) {
        return Optional.of(String.valueOf(number));
    }
}
