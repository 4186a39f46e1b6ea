package io.boxd.chronicle;

import java.time.Instant;
import java.util.List;

/**
 * Somebody who wants to be told of events.
 *
 * @param kinds of events; none: all
 * @param secret with which what is sent is signed; never shown again
 */
record Webhook(String id, String url, List<String> kinds, String secret, Instant createdAt) {
    Webhook {
        kinds = List.copyOf(kinds);
    }

    /** A gap concerns everybody. */
    boolean wants(Event event) {
        return kinds.isEmpty() || kinds.contains(event.kind()) || event.kind().equals(Event.GAP);
    }

    @Override
    public String toString() {
        return "webhook " + id;
    }
}
