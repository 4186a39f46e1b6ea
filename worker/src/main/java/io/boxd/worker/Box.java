package io.boxd.worker;

import io.boxd.vmm.MachineSize;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * What is known of a box at one moment; does not change by itself.
 *
 * @param id never used again for another box; {@code bx_} and twelve letters and digits
 * @param reason why it has this status, for people; empty when there is nothing to say
 * @param image that its disk goes back to
 * @param forkedFrom the id of the box that it is a copy of
 * @param cameFrom the kept snapshot that its present state goes back to
 * @param address at which the host reaches it; none while it is stopped or failed
 * @param environment of every command in it
 * @param createMillis from the request until it had a machine; 0 until then
 * @param owner the id of whose it is
 * @param sharing whom else it concerns
 * @param doorway how it is reached by its names
 * @param readyMillis from the request until a command could be run in it; 0 until then
 */
public record Box(
        String id,
        String name,
        Status status,
        String reason,
        String image,
        Origination origin,
        Optional<String> forkedFrom,
        Optional<String> cameFrom,
        Instant createdAt,
        Optional<Instant> expiresAt,
        Map<String, String> labels,
        Map<String, String> environment,
        MachineSize size,
        SleepRules sleep,
        CheckpointRule checkpoints,
        Optional<String> address,
        long createMillis,
        long readyMillis,
        String owner,
        Sharing sharing,
        Doorway doorway) {
    public Box {
        labels = Map.copyOf(labels);
        environment = Map.copyOf(environment);
    }
}
