package io.boxd.control;

import io.boxd.vmm.MachineSize;
import io.boxd.worker.Box;
import io.boxd.worker.Doorway;
import io.boxd.worker.ForkOrder;
import io.boxd.worker.NewBox;
import io.boxd.worker.Origination;
import io.boxd.worker.Status;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A box of tests as it is when it has been ordered. */
final class MadeBox {
    private MadeBox() {}

    static Box of(NewBox order, String id, MachineSize size, String address) {
        Instant now = Instant.now();
        return new Box(
                id,
                order.name(),
                order.untilReady() ? Status.RUNNING : Status.STARTING,
                "",
                order.origin() instanceof Origination.FromImage(String image) ? image : "base",
                order.origin(),
                Optional.empty(),
                order.origin() instanceof Origination.FromSnapshot(String from) ? Optional.of(from) : Optional.empty(),
                now,
                order.timeToLive().map(now::plus),
                order.labels(),
                order.environment(),
                size,
                order.sleep(),
                order.checkpoints(),
                Optional.of(address),
                11,
                12,
                order.owner(),
                order.sharing(),
                Doorway.usual());
    }

    static Box of(Box source, ForkOrder order, String id, String name) {
        Map<String, String> labels = new TreeMap<>(source.labels());
        labels.putAll(order.labels());
        return new Box(
                id,
                name,
                order.paused() ? Status.STANDBY : Status.RUNNING,
                "",
                source.image(),
                new Origination.FromBox(source.id()),
                Optional.of(source.id()),
                source.cameFrom(),
                Instant.now(),
                Optional.empty(),
                labels,
                source.environment(),
                source.size(),
                source.sleep(),
                source.checkpoints(),
                Optional.of("100.124.0.3"),
                21,
                22,
                order.owner(),
                order.sharing(),
                source.doorway());
    }
}
