package io.boxd.worker;

import java.util.ArrayList;
import java.util.List;

/** Remembers everything that it hears. */
final class TestingWitness implements BoxWitness {
    private final List<BoxEvent> events = new ArrayList<>();
    private List<BoxEvent> found = List.of();

    @Override
    public synchronized void saw(BoxEvent event) {
        events.add(event);
    }

    @Override
    public synchronized void found(List<BoxEvent> boxes) {
        found = List.copyOf(boxes);
    }

    /** What happened to a box, in order. */
    synchronized List<BoxEvent> of(String box) {
        return events.stream().filter(event -> event.box().equals(box)).toList();
    }

    synchronized List<BoxEvent.Kind> kindsOf(String box) {
        return of(box).stream().map(BoxEvent::kind).toList();
    }

    /** Where boxes were when the last server started. */
    synchronized List<BoxEvent> found() {
        return found;
    }
}
