package io.boxd.worker;

import java.util.List;
import java.util.Optional;

/**
 * What a command came to.
 *
 * @param boxes that were reserved
 * @param snapshot that was kept
 * @param before whether the same request had been made before, and nothing was changed now
 */
record Outcome(List<String> boxes, Optional<String> snapshot, boolean before) {
    Outcome {
        boxes = List.copyOf(boxes);
    }

    static Outcome plain() {
        return new Outcome(List.of(), Optional.empty(), false);
    }

    static Outcome again(KeyRow row) {
        return new Outcome(row.boxes(), row.snapshot(), true);
    }
}
