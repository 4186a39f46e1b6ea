package io.boxd.worker;

import io.boxd.vmm.MachineSize;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * What can be changed of a box by asking for it.
 *
 * @param checkpointMillis between snapshots that nobody asked for; 0 for none, -1 for one before each command
 */
record BoxSettings(
        String name,
        Map<String, String> labels,
        Map<String, String> environment,
        MachineSize size,
        SleepRules sleep,
        long checkpointMillis,
        Optional<Instant> expiresAt,
        Sharing sharing,
        Doorway doorway) {
    /** Rows of earlier versions are nobody else's concern, and have the usual doorway. */
    BoxSettings {
        sharing = sharing == null ? Sharing.none() : sharing;
        doorway = doorway == null ? Doorway.usual() : doorway;
        labels = BoxRows.sorted(labels);
        environment = BoxRows.sorted(environment);
    }

    BoxSettings named(String newName) {
        return new BoxSettings(
                newName, labels, environment, size, sleep, checkpointMillis, expiresAt, sharing, doorway);
    }

    BoxSettings labelled(Map<String, String> newLabels) {
        return new BoxSettings(
                name, newLabels, environment, size, sleep, checkpointMillis, expiresAt, sharing, doorway);
    }

    BoxSettings sized(MachineSize newSize) {
        return new BoxSettings(
                name, labels, environment, newSize, sleep, checkpointMillis, expiresAt, sharing, doorway);
    }

    BoxSettings sleeping(SleepRules rules) {
        return new BoxSettings(name, labels, environment, size, rules, checkpointMillis, expiresAt, sharing, doorway);
    }

    BoxSettings reachedBy(Doorway newDoorway) {
        return new BoxSettings(
                name, labels, environment, size, sleep, checkpointMillis, expiresAt, sharing, newDoorway);
    }

    /** Those of a copy: its own name, labels and sharing, and no end of its own. */
    BoxSettings copy(String newName, Map<String, String> newLabels, Sharing newSharing) {
        return new BoxSettings(
                newName,
                newLabels,
                environment,
                size,
                sleep,
                checkpointMillis,
                Optional.empty(),
                newSharing,
                doorway.copied());
    }
}
