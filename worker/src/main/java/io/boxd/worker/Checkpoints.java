package io.boxd.worker;

import io.boxd.common.Deadline;
import io.boxd.vmm.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Takes snapshots that nobody asked for, and deletes them again when there are newer ones. */
final class Checkpoints {
    private static final long EACH_COMMAND = -1;
    private static final Duration TAKING = Duration.ofMinutes(5);
    private static final SnapshotOrder ORDER =
            new SnapshotOrder(KeptSnapshot.Cause.CHECKPOINT, Optional.empty(), Optional.empty(), Optional.empty());

    private final Workshop shop;
    private final Lives lives;
    private final Timeline timeline;
    /** Processor time of each box's machine at its last checkpoint. */
    private final Map<String, Mark> marks = new ConcurrentHashMap<>();

    private record Mark(Machine machine, Duration cpuTime, Instant at) {}

    Checkpoints(Workshop shop, Lives lives, Timeline timeline) {
        this.shop = shop;
        this.lives = lives;
        this.timeline = timeline;
    }

    /** As it is written down. */
    static long millis(CheckpointRule rule) {
        return switch (rule) {
            case CheckpointRule.Off _ -> 0;
            case CheckpointRule.EachCommand _ -> EACH_COMMAND;
            case CheckpointRule.Every(Duration time) -> Math.max(1, time.toMillis());
        };
    }

    static CheckpointRule rule(long millis) {
        if (millis == EACH_COMMAND) {
            return new CheckpointRule.EachCommand();
        }
        return millis == 0 ? new CheckpointRule.Off() : new CheckpointRule.Every(Duration.ofMillis(millis));
    }

    private static String key(HostedBox box) {
        return "checkpoint-" + box.id();
    }

    /** A box is somewhere else in its life: only one that runs gets checkpoints. */
    void consider(HostedBox box) {
        long millis = box.row().settings().checkpointMillis();
        Machine machine = box.machine();
        if (millis > 0 && box.life() == Life.RUNNING && machine != null) {
            marks.putIfAbsent(box.id(), new Mark(machine, machine.cpuTime(), Instant.now()));
            shop.agenda().in(Duration.ofMillis(millis), key(box), () -> lives.byItself(box, () -> due(box)));
        } else {
            shop.agenda().cancel(key(box));
        }
        if (box.life() == Life.DESTROYED) {
            marks.remove(box.id());
        }
    }

    private void due(HostedBox box) {
        Machine machine = box.machine();
        try {
            if (box.life() == Life.RUNNING && machine != null && hasChanged(box, machine)) {
                timeline.take(box, ORDER, Deadline.in(TAKING));
                marks.put(box.id(), new Mark(machine, machine.cpuTime(), Instant.now()));
                thin(box.id());
            }
        } finally {
            consider(box);
        }
    }

    /** A machine that has only ticked since the last one is as it was. */
    private boolean hasChanged(HostedBox box, Machine machine) {
        Mark mark = marks.get(box.id());
        if (mark == null || mark.machine() != machine) {
            return true;
        }
        double millis = Math.max(1, Duration.between(mark.at(), Instant.now()).toMillis());
        double percent = 100.0 * machine.cpuTime().minus(mark.cpuTime()).toMillis() / millis;
        return percent > shop.config().quietCpuPercent()
                || box.activity().touched().isAfter(mark.at());
    }

    /** Deletes those checkpoints of a box that are too old or too many. */
    void thin(String box) {
        List<KeptRow> automatic = shop.record().rows().snapshotsOf(box).stream()
                .filter(row -> row.snapshot().cause() == KeptSnapshot.Cause.CHECKPOINT)
                .filter(row -> row.snapshot().label().isEmpty())
                .toList();
        List<Instant> expired = Retention.expired(
                automatic.stream().map(row -> row.snapshot().createdAt()).toList(),
                shop.config().limits().checkpoints(),
                Instant.now());
        timeline.forget(automatic.stream()
                .filter(row -> expired.contains(row.snapshot().createdAt()))
                .toList());
    }
}
