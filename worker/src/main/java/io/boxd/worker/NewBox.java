package io.boxd.worker;

import io.boxd.vmm.MachineSize;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A box that is to be.
 *
 * @param origin an image or a snapshot
 * @param size empty: that of the snapshot, or the default
 * @param timeToLive after which it is destroyed
 * @param untilReady whether to return only when a command can be run in it
 * @param owner whose it is to be
 * @param allowances that it must fit into, besides this host's
 * @param key by which the order is known again
 * @param sharing whom else it is to concern
 */
public record NewBox(
        String name,
        Origination origin,
        Optional<MachineSize> size,
        Map<String, String> environment,
        Map<String, String> labels,
        SleepRules sleep,
        CheckpointRule checkpoints,
        Optional<Duration> timeToLive,
        boolean untilReady,
        String owner,
        List<Allowance> allowances,
        Optional<RequestKey> key,
        Sharing sharing) {
    public NewBox {
        environment = Map.copyOf(environment);
        labels = Map.copyOf(labels);
        allowances = List.copyOf(allowances);
    }

    /** One of this host's own, as many as it can have. */
    public NewBox(
            String name,
            Origination origin,
            Optional<MachineSize> size,
            Map<String, String> environment,
            Map<String, String> labels,
            SleepRules sleep,
            CheckpointRule checkpoints,
            Optional<Duration> timeToLive,
            boolean untilReady) {
        this(
                name,
                origin,
                size,
                environment,
                labels,
                sleep,
                checkpoints,
                timeToLive,
                untilReady,
                BoxRow.LOCAL,
                List.of(),
                Optional.empty(),
                Sharing.none());
    }
}
