package io.boxd.control;

import io.boxd.chronicle.Event;
import io.boxd.common.BoxdException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The events that somebody may see: those of boxes that they see, or have seen since they began to look. Of boxes that
 * were gone before, only those hear who may see everything.
 */
final class SeenEvents implements Predicate<Event> {
    private final Asked asked;
    private final boolean all;
    private final Set<String> seen = new HashSet<>();

    SeenEvents(Asked asked) {
        this.asked = asked;
        this.all = asked.who().administrator() && asked.who().scopes().labels().isEmpty();
    }

    @Override
    public synchronized boolean test(Event event) {
        return all || event.subject().filter(this::isSeen).isPresent();
    }

    private boolean isSeen(String box) {
        if (seen.contains(box)) {
            return true;
        }
        try {
            asked.boxes().find(box);
        } catch (BoxdException e) {
            // Not theirs, or gone: the same to them.
            return false;
        }
        return seen.add(box);
    }
}
