package io.boxd.chronicle;

import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which events are wanted.
 *
 * @param since when they happened, at the earliest
 * @param subject its id or name
 * @param kinds none: all
 * @param visible whether whoever asks may see it
 */
public record EventQuestion(
        Optional<Instant> since, Optional<String> subject, Set<String> kinds, Predicate<Event> visible) {
    public EventQuestion {
        kinds = Set.copyOf(kinds);
    }

    public static EventQuestion all() {
        return new EventQuestion(Optional.empty(), Optional.empty(), Set.of(), _ -> true);
    }

    /** A gap concerns everybody: nobody knows what was in it. */
    public boolean fits(Event event) {
        if (event.kind().equals(Event.GAP)) {
            return true;
        }
        boolean inTime = since.filter(earliest -> event.at().isBefore(earliest)).isEmpty();
        boolean about = subject.isEmpty()
                || event.subject().equals(subject)
                || event.name().equals(subject);
        return inTime && about && (kinds.isEmpty() || kinds.contains(event.kind())) && visible.test(event);
    }
}
