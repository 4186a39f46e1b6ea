package io.boxd.worker;

import io.boxd.vmm.MachineSize;
import java.util.Map;

/**
 * What is written down of a kept snapshot.
 *
 * @param number counts the kept snapshots of this host
 * @param instant the engine's snapshot; several rows, and the memory of a hibernated box, may share one
 * @param memory whether its box slept in that very instant when it was kept
 */
record KeptRow(
        KeptSnapshot snapshot,
        long number,
        String instant,
        boolean memory,
        String image,
        MachineSize size,
        Map<String, String> environment,
        Doorway doorway) {
    /** Rows of earlier versions have the usual doorway. */
    KeptRow {
        doorway = doorway == null ? Doorway.usual() : doorway;
        environment = BoxRows.sorted(environment);
    }

    String id() {
        return snapshot.id();
    }

    String box() {
        return snapshot.box();
    }
}
