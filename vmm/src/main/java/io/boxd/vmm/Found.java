package io.boxd.vmm;

import java.util.List;

/**
 * What a new server found of the machines of the one before.
 *
 * @param machines still running, or in standby, as they were
 * @param remains of those that run no more
 */
public record Found(List<Machine> machines, List<Remains> remains) {
    public Found {
        machines = List.copyOf(machines);
        remains = List.copyOf(remains);
    }
}
