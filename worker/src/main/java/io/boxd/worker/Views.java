package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.network.Traffic;
import io.boxd.vmm.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** What others see of boxes. */
final class Views {
    private final Workshop shop;
    private final Roster roster;
    private final Map<String, Used> used = new ConcurrentHashMap<>();

    private record Used(Machine machine, Duration cpuTime, Instant at) {}

    Views(Workshop shop, Roster roster) {
        this.shop = shop;
        this.roster = roster;
    }

    List<Box> all() {
        Map<String, BoxRow> rows = shop.record().rows().boxes();
        return roster.all().stream()
                .filter(box -> box.life() != Life.DESTROYED)
                .flatMap(box -> Optional.ofNullable(rows.get(box.id())).stream().map(row -> of(box, row)))
                .toList();
    }

    Box of(HostedBox box) {
        return of(box, box.row());
    }

    private Box of(HostedBox box, BoxRow row) {
        BoxSettings settings = row.settings();
        return new Box(
                row.id(),
                row.name(),
                box.life().status(),
                reason(box, row),
                row.image(),
                row.origin(),
                row.forkedFrom(),
                row.condition().cameFrom(),
                row.createdAt(),
                settings.expiresAt(),
                settings.labels(),
                settings.environment(),
                settings.size(),
                settings.sleep(),
                Checkpoints.rule(settings.checkpointMillis()),
                address(box, row),
                row.createMillis(),
                row.readyMillis(),
                row.owner(),
                settings.sharing(),
                settings.doorway());
    }

    private static String reason(HostedBox box, BoxRow row) {
        Machine machine = box.machine();
        if (box.life() == Life.RUNNING && machine != null && machine.isStalled()) {
            return "it stands still: the disk of its host is full";
        }
        return switch (box.life()) {
            case RUNNING, STARTING -> row.condition().reason();
            case STANDBY, HIBERNATED -> box.because();
            case STOPPED, FAILED, DORMANT, DESTROYED ->
                row.condition().reason().isEmpty()
                        ? box.because()
                        : row.condition().reason();
        };
    }

    private Optional<String> address(HostedBox box, BoxRow row) {
        return switch (box.life()) {
            case RUNNING, STANDBY, HIBERNATED -> {
                Optional<String> known = row.condition().addresses().stream().findFirst();
                Machine machine = box.machine();
                yield known.isPresent() || machine == null
                        ? known
                        : shop.ways().wire(machine).map(wire -> wire.address().getHostAddress());
            }
            case STARTING, STOPPED, FAILED, DORMANT, DESTROYED -> Optional.empty();
        };
    }

    List<BoxFigures> figures() {
        Map<String, BoxRow> rows = shop.record().rows().boxes();
        return roster.all().stream()
                .filter(box -> box.life() != Life.DESTROYED)
                .flatMap(box -> Optional.ofNullable(rows.get(box.id())).stream().map(row -> figures(box, of(box, row))))
                .toList();
    }

    private BoxFigures figures(HostedBox box, Box view) {
        Machine machine = box.machine();
        Instant now = Instant.now();
        Duration inStatus = Duration.between(box.since(), now);
        if (machine == null || !box.life().hasMachine()) {
            used.remove(box.id());
            return new BoxFigures(view, 0, 0, 0, 0, inStatus);
        }
        Optional<Traffic> traffic = shop.ways().traffic(machine);
        return new BoxFigures(
                view,
                cpuPercent(box, machine, now),
                memoryBytes(machine),
                traffic.map(Traffic::receivedBytes).orElse(0L),
                traffic.map(Traffic::sentBytes).orElse(0L),
                inStatus);
    }

    private static long memoryBytes(Machine machine) {
        try {
            return machine.privateBytes();
        } catch (BoxdException e) {
            // It has just ended.
            return 0;
        }
    }

    private double cpuPercent(HostedBox box, Machine machine, Instant now) {
        Duration time = machine.cpuTime();
        Used before = used.put(box.id(), new Used(machine, time, now));
        if (before == null || before.machine() != machine) {
            return 0;
        }
        double millis = Math.max(1, Duration.between(before.at(), now).toMillis());
        return 100.0 * time.minus(before.cpuTime()).toMillis() / millis;
    }
}
