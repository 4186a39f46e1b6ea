package io.boxd.worker;

import java.util.List;
import java.util.Optional;

/**
 * A snapshot that is to be taken, and why; see {@link KeptSnapshot}.
 *
 * @param allowances that it must fit into
 * @param key by which the order is known again
 */
public record SnapshotOrder(
        KeptSnapshot.Cause cause,
        Optional<String> label,
        Optional<String> execution,
        Optional<String> command,
        List<Allowance> allowances,
        Optional<RequestKey> key) {
    public SnapshotOrder {
        allowances = List.copyOf(allowances);
    }

    /** One that is not repeated. */
    public SnapshotOrder(
            KeptSnapshot.Cause cause, Optional<String> label, Optional<String> execution, Optional<String> command) {
        this(cause, label, execution, command, List.of(), Optional.empty());
    }

    /** As somebody asks for it. */
    public static SnapshotOrder saved(Optional<String> label) {
        return new SnapshotOrder(KeptSnapshot.Cause.SAVED, label, Optional.empty(), Optional.empty());
    }

    /** The same by a request that may be repeated. */
    public SnapshotOrder under(Optional<RequestKey> newKey) {
        return new SnapshotOrder(cause, label, execution, command, allowances, newKey);
    }

    /** The same, if there is room for it here. */
    public SnapshotOrder within(List<Allowance> these) {
        return new SnapshotOrder(cause, label, execution, command, these, key);
    }

    /** Before a command. */
    public static SnapshotOrder before(String execution, String command) {
        return new SnapshotOrder(
                KeptSnapshot.Cause.CHECKPOINT, Optional.empty(), Optional.of(execution), Optional.of(command));
    }
}
