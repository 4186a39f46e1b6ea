package io.boxd.control;

import io.boxd.vmm.MachineSize;
import io.boxd.worker.Box;
import io.boxd.worker.Doorway;
import io.boxd.worker.SleepRules;
import io.boxd.worker.Status;
import java.util.Map;
import java.util.Optional;

/** A box of tests as it is after a change. */
final class ChangedBox {
    private ChangedBox() {}

    static Box of(
            Box box,
            String name,
            Status status,
            String reason,
            Map<String, String> labels,
            MachineSize size,
            SleepRules sleep,
            Optional<String> cameFrom) {
        return new Box(
                box.id(),
                name,
                status,
                reason,
                box.image(),
                box.origin(),
                box.forkedFrom(),
                cameFrom,
                box.createdAt(),
                box.expiresAt(),
                labels,
                box.environment(),
                size,
                sleep,
                box.checkpoints(),
                box.address(),
                box.createMillis(),
                box.readyMillis(),
                box.owner(),
                box.sharing(),
                box.doorway());
    }

    static Box of(Box box, Doorway doorway) {
        return new Box(
                box.id(),
                box.name(),
                box.status(),
                box.reason(),
                box.image(),
                box.origin(),
                box.forkedFrom(),
                box.cameFrom(),
                box.createdAt(),
                box.expiresAt(),
                box.labels(),
                box.environment(),
                box.size(),
                box.sleep(),
                box.checkpoints(),
                box.address(),
                box.createMillis(),
                box.readyMillis(),
                box.owner(),
                box.sharing(),
                doorway);
    }
}
