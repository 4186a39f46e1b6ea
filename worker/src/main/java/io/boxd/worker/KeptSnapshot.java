package io.boxd.worker;

import java.time.Instant;
import java.util.Optional;

/**
 * An instant of a box that was kept.
 *
 * @param id {@code sn_} and twelve letters and digits
 * @param box the id of the box that it is of
 * @param label with one it outlives its box
 * @param parent the snapshot that the box came from when this was taken
 * @param execution the id of the command before which it was taken
 * @param command that command, as it was typed
 * @param bytes that it takes on disk, without what it shares with others
 */
public record KeptSnapshot(
        String id,
        String box,
        Cause cause,
        Optional<String> label,
        Optional<String> parent,
        Optional<String> execution,
        Optional<String> command,
        Instant createdAt,
        long memoryBytes,
        long bytes) {
    /** Why it was taken. */
    public enum Cause {
        /** Somebody asked for it. */
        SAVED,
        /** Time had come, or a command. */
        CHECKPOINT,
        /** A rollback or a promotion left this state. */
        LEFT
    }
}
