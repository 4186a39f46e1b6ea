package io.boxd.worker;

import java.time.Duration;

/** When a box is to get snapshots that nobody asked for. */
public sealed interface CheckpointRule {
    /** Never. */
    record Off() implements CheckpointRule {}

    /** Before each command. */
    record EachCommand() implements CheckpointRule {}

    /** Whenever so much time has passed in which it was awake. */
    record Every(Duration time) implements CheckpointRule {}
}
