package io.boxd.trials;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** What one client knows to be true because the server has said so, and what it has asked without an answer so far. */
final class Journal {
    /**
     * A box as it must be.
     *
     * @param mark what is in its memory; one that was booted again has none
     */
    record Known(String id, String name, Map<String, String> labels, String status, String visibility, int mark) {
        Known renamed(String newName) {
            return new Known(id, newName, labels, status, visibility, mark);
        }

        Known labelled(String key, String value) {
            Map<String, String> more = new HashMap<>(labels);
            more.put(key, value);
            return new Known(id, name, Map.copyOf(more), status, visibility, mark);
        }

        Known in(String newStatus) {
            return new Known(id, name, labels, newStatus, visibility, mark);
        }

        Known marked(int newMark) {
            return new Known(id, name, labels, status, visibility, newMark);
        }
    }

    /** By the label that says which request made them: so none can be there twice without being noticed. */
    final Map<String, Known> boxes = new LinkedHashMap<>();

    /** Ids of snapshots by their labels. */
    final Map<String, String> snapshots = new LinkedHashMap<>();

    /** Ids of tokens by their notes. */
    final Map<String, String> tokens = new LinkedHashMap<>();

    /** What the pool of the client's organisation was set to last; 0: it has none. */
    int pool;

    private Set<String> open = Set.of();
    private final AtomicInteger acknowledged = new AtomicInteger();

    void begin(Set<String> touched) {
        open = touched;
    }

    void acknowledge() {
        open = Set.of();
        acknowledged.incrementAndGet();
    }

    /** Whether it was asked to change this, and has not said that it has: both is right then. */
    boolean isOpen(String what) {
        return open.contains(what);
    }

    int acknowledged() {
        return acknowledged.get();
    }
}
