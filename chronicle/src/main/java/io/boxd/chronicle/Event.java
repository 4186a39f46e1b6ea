package io.boxd.chronicle;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Something that happened to a thing, with its cause.
 *
 * @param sequence counts all events of the instance; never used twice
 * @param kind what happened, in one word
 * @param subject the id of the thing; none: it is about the events themselves
 * @param audience whom it concerns besides those who see everything; none in what earlier versions have written
 * @param status of the thing afterwards, if it is known
 * @param cause for people
 * @param request the id of the request in which it happened, if it did in one
 * @param details texts, numbers and maps of them
 */
public record Event(
        long sequence,
        Instant at,
        String kind,
        Optional<String> subject,
        Optional<String> name,
        Optional<Audience> audience,
        Optional<String> status,
        String cause,
        Optional<String> request,
        Map<String, Object> details) {
    /** The kind of an event that says that others are missing. */
    public static final String GAP = "gap";

    public Event {
        details = Collections.unmodifiableMap(new LinkedHashMap<>(details));
    }

    /**
     * Whom the thing concerned when it happened; what follows from that is decided elsewhere.
     *
     * @param owner the id of its owner
     * @param organisation the id of the one that it belonged to
     * @param shared whether members of that could use it
     */
    public record Audience(String owner, Optional<String> organisation, boolean shared, Map<String, String> labels) {
        public Audience {
            labels = Map.copyOf(labels);
        }
    }

    /** An event on its way: its number comes when it is written down. */
    public record Draft(
            Instant at,
            String kind,
            Optional<String> subject,
            Optional<String> name,
            Optional<Audience> audience,
            Optional<String> status,
            String cause,
            Optional<String> request,
            Map<String, Object> details) {
        Event numbered(long sequence) {
            return new Event(sequence, at, kind, subject, name, audience, status, cause, request, details);
        }
    }

    /** In the place of events that are not there any more, the last of which had this number. */
    static Event gap(long sequence, long lost, Instant now) {
        return lost(lost, now).numbered(sequence);
    }

    static Draft lost(long count, Instant now) {
        String cause = count == 1 ? "one event is not kept" : count + " events are not kept";
        return new Draft(
                now,
                GAP,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                cause,
                Optional.empty(),
                Map.of("lost", count));
    }
}
