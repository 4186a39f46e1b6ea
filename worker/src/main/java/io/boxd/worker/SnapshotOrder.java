package io.boxd.worker;

import java.util.Optional;

/** A snapshot that is to be taken, and why; see {@link KeptSnapshot}. */
public record SnapshotOrder(
        KeptSnapshot.Cause cause, Optional<String> label, Optional<String> execution, Optional<String> command) {
    /** As somebody asks for it. */
    public static SnapshotOrder saved(Optional<String> label) {
        return new SnapshotOrder(KeptSnapshot.Cause.SAVED, label, Optional.empty(), Optional.empty());
    }

    /** Before a command. */
    public static SnapshotOrder before(String execution, String command) {
        return new SnapshotOrder(
                KeptSnapshot.Cause.CHECKPOINT, Optional.empty(), Optional.of(execution), Optional.of(command));
    }
}
