package io.boxd.worker;

import java.time.Duration;
import java.util.List;

/**
 * The copies of a box.
 *
 * @param pause how long the source stood still; zero if it slept
 * @param ready from the request until a command could be run in all of them
 * @param engine how much of that the engine worked; the rest is what decisions, locks and records take
 * @param dirtyBytes memory that was copied for each
 */
public record Forked(List<Box> boxes, Duration pause, Duration ready, Duration engine, long dirtyBytes) {
    public Forked {
        boxes = List.copyOf(boxes);
    }
}
