package io.boxd.worker;

import java.util.Optional;

/** A snapshot that is to be taken, and why; see {@link KeptSnapshot}. */
public record SnapshotOrder(
        KeptSnapshot.Cause cause,
        Optional<String> label,
        Optional<String> execution,
        Optional<String> command,
        Optional<RequestKey> key) {
    /** One that is not repeated. */
    public SnapshotOrder(
            KeptSnapshot.Cause cause, Optional<String> label, Optional<String> execution, Optional<String> command) {
        this(cause, label, execution, command, Optional.empty());
    }

    /** As somebody asks for it. */
    public static SnapshotOrder saved(Optional<String> label) {
        return new SnapshotOrder(KeptSnapshot.Cause.SAVED, label, Optional.empty(), Optional.empty());
    }

    /** The same by a request that may be repeated. */
    public SnapshotOrder under(Optional<RequestKey> newKey) {
        return new SnapshotOrder(cause, label, execution, command, newKey);
    }

    /** Before a command. */
    public static SnapshotOrder before(String execution, String command) {
        return new SnapshotOrder(
                KeptSnapshot.Cause.CHECKPOINT, Optional.empty(), Optional.of(execution), Optional.of(command));
    }
}
