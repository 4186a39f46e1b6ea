package io.boxd.worker;

import io.boxd.vmm.MachineSize;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * A box that is to be.
 *
 * @param origin an image or a snapshot
 * @param size empty: that of the snapshot, or the default
 * @param timeToLive after which it is destroyed
 * @param untilReady whether to return only when a command can be run in it
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
        boolean untilReady) {
    public NewBox {
        environment = Map.copyOf(environment);
        labels = Map.copyOf(labels);
    }
}
