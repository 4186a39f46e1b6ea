package io.boxd.control;

import io.boxd.chronicle.Event;
import io.boxd.common.BoxdException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The events that somebody may see: those of boxes that they see now, and those of boxes that are gone and that they
 * would see, were they still what they were when it happened.
 */
final class SeenEvents implements Predicate<Event> {
    private final Asked asked;
    private final Guard guard;
    private final boolean all;
    private final Set<String> seen = new HashSet<>();

    SeenEvents(Asked asked, Guard guard) {
        this.asked = asked;
        this.guard = guard;
        this.all = asked.who().administrator() && asked.who().scopes().labels().isEmpty();
    }

    @Override
    public synchronized boolean test(Event event) {
        return all
                || event.subject().filter(box -> isSeen(box, event.audience())).isPresent();
    }

    private boolean isSeen(String box, Optional<Event.Audience> audience) {
        if (seen.contains(box)) {
            return true;
        }
        try {
            asked.boxes().find(box);
        } catch (BoxdException e) {
            // Not theirs, or gone: the same to them.
            return !guard.isThere(box)
                    && audience.filter(whose -> guard.concerns(asked.who(), whose))
                            .isPresent();
        }
        return seen.add(box);
    }
}
