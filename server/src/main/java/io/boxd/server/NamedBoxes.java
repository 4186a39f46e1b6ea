package io.boxd.server;

import io.boxd.certificates.Certificates;
import io.boxd.worker.BoxEvent;
import io.boxd.worker.BoxWitness;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Tells the certificates which names boxes have, before anybody asks for them.
 *
 * <p>On a thread of its own: who tells of boxes does not wait until a file is deleted.
 */
final class NamedBoxes implements BoxWitness, AutoCloseable {
    private final BoxWitness next;
    private final Certificates certificates;
    private final String domain;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofVirtual().name("names of boxes").factory());

    /**
     * Between those who tell and another who hears the same.
     *
     * @param next hears it, too
     */
    NamedBoxes(BoxWitness next, Certificates certificates, String domain) {
        this.next = next;
        this.certificates = certificates;
        this.domain = domain;
    }

    @Override
    public void saw(BoxEvent event) {
        next.saw(event);
        switch (event.kind()) {
            case CREATED, FORKED -> need(event.name());
            case RENAMED -> {
                forget(String.valueOf(event.details().get("before")));
                need(event.name());
            }
            case DESTROYED -> forget(event.name());
            default -> {
                // It has the name that it had.
            }
        }
    }

    @Override
    public void found(List<BoxEvent> boxes) {
        next.found(boxes);
        boxes.forEach(box -> need(box.name()));
    }

    private void need(String name) {
        thread.execute(() -> certificates.need(name + "." + domain));
    }

    private void forget(String name) {
        thread.execute(() -> certificates.forget(name + "." + domain));
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
