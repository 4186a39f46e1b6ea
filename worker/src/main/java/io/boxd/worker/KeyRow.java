package io.boxd.worker;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a request has made that may be repeated.
 *
 * @param boxes all that it made
 * @param snapshot the one that it kept
 */
record KeyRow(RequestKey key, List<String> boxes, Optional<String> snapshot, Instant at) {
    KeyRow {
        boxes = List.copyOf(boxes);
    }

    String id() {
        return key.id();
    }

    boolean isForgottenAt(Instant now) {
        return at.plus(RequestKey.REMEMBERED).isBefore(now);
    }
}
