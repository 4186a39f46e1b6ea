package io.boxd.vmm;

import java.time.Duration;
import java.util.List;

/**
 * The children of a fork.
 *
 * @param machines ready to run commands, in the order of their identities
 * @param pause how long the source stood still
 * @param dirtyBytes how much memory was copied for each child
 */
public record ForkResult(List<Machine> machines, Duration pause, long dirtyBytes) {
    public ForkResult {
        machines = List.copyOf(machines);
    }
}
