package io.boxd.bench;

import io.boxd.common.Deadline;
import io.boxd.vmm.Base;
import io.boxd.vmm.Engine;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import io.boxd.vmm.Snapshot;
import io.boxd.vmm.SnapshotResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** What keeping machines on disk costs: snapshots, hibernation, waking with and without a warm page cache. */
final class LastingFigures {
    private static final List<Integer> IN_USE_MEGABYTES = List.of(50, 300, 1024);

    /** Waking does less than starting a machine anew, but has its own memory to bring along. */
    private static final double WARM_LIMIT = 1.3;

    private static final double COLD_LIMIT = 2.5;

    private final Engine engine;
    private final Base base;
    private final Report report;
    private final int rounds;

    private final Map<String, Double> snapshot = new LinkedHashMap<>();
    private final Map<String, Double> snapshotBytes = new LinkedHashMap<>();
    private final Map<String, Double> hibernate = new LinkedHashMap<>();
    private final Map<String, Double> pause = new LinkedHashMap<>();
    private final Map<String, Double> warm = new LinkedHashMap<>();
    private final Map<String, Double> cold = new LinkedHashMap<>();
    private final Map<String, Double> restore = new LinkedHashMap<>();

    LastingFigures(Engine engine, Base base, Report report, int rounds) {
        this.engine = engine;
        this.base = base;
        this.report = report;
        this.rounds = rounds;
    }

    void measure(double newMillis) throws IOException {
        Map<String, String> warmGoals = new LinkedHashMap<>();
        Map<String, String> coldGoals = new LinkedHashMap<>();
        for (int megabytes : IN_USE_MEGABYTES) {
            System.err.println("snapshot, hibernate, wake with " + megabytes + " MB in use");
            String key = Integer.toString(megabytes);
            measure(key, megabytes);
            warmGoals.put(key, "≤ %.0f".formatted(WARM_LIMIT * newMillis));
            coldGoals.put(key, "≤ %.0f".formatted(COLD_LIMIT * newMillis));
        }
        report.figures("snapshot_ms", snapshot, rounds, Map.of(), "call to durable, the machine runs on, by MB in use");
        report.figures("snapshot_disk_mb", snapshotBytes, 1, Map.of(), "what it takes on disk, without layers");
        report.figures("hibernate_ms", hibernate, rounds, Map.of(), "call to durable and the process gone");
        report.figures("hibernate_pause_ms", pause, rounds, Map.of(), "until its state was taken");
        report.figures("wake_warm_ms", warm, rounds, warmGoals, "hibernated to first output, files in the page cache");
        report.figures("wake_cold_ms", cold, rounds, coldGoals, "the same with the page cache dropped");
        report.figures("restore_ms", restore, rounds, Map.of(), "a new machine from a snapshot to its first output");
    }

    private void measure(String key, int megabytes) throws IOException {
        Samples snapshots = new Samples();
        Samples hibernations = new Samples();
        Samples pauses = new Samples();
        Samples warmWakes = new Samples();
        Samples coldWakes = new Samples();
        Samples restores = new Samples();
        Machine machine = engine.start(base, Identity.fresh("lasting", 1), soon());
        try {
            Setup.run(machine, "yes | head -c " + megabytes + "M > /dev/shm/used; echo filled");
            for (int i = 0; i < rounds; i++) {
                long start = System.nanoTime();
                Snapshot kept = engine.snapshot(machine, soon()).snapshot();
                snapshots.add(since(start));
                snapshotBytes.put(key, kept.bytes() / 1e6);
                awaitMapped(kept);
                start = System.nanoTime();
                try (Machine copy = engine.start(kept, Identity.fresh("copy", 1), soon())) {
                    Setup.firstCommand(copy);
                    restores.add(since(start));
                }
                engine.forget(kept);
                machine = sleepAndWake(machine, false, hibernations, pauses, warmWakes);
                machine = sleepAndWake(machine, true, hibernations, pauses, coldWakes);
            }
        } finally {
            machine.close();
        }
        snapshot.put(key, snapshots.median());
        hibernate.put(key, hibernations.median());
        pause.put(key, pauses.median());
        warm.put(key, warmWakes.median());
        cold.put(key, coldWakes.median());
        restore.put(key, restores.median());
    }

    private Machine sleepAndWake(
            Machine machine, boolean dropCache, Samples hibernations, Samples pauses, Samples wakes)
            throws IOException {
        long start = System.nanoTime();
        SnapshotResult asleep = engine.hibernate(machine, soon());
        hibernations.add(since(start));
        pauses.add(asleep.pause());
        Snapshot kept = asleep.snapshot();
        awaitMapped(kept);
        if (dropCache) {
            Files.writeString(Path.of("/proc/sys/vm/drop_caches"), "3");
        }
        start = System.nanoTime();
        Machine woken = engine.start(kept, kept.identity().next(), soon());
        Setup.firstCommand(woken);
        wakes.add(since(start));
        engine.forget(kept);
        return woken;
    }

    /** A machine sleeps for minutes: by then its whole memory, if it is large, has been put together. */
    private void awaitMapped(Snapshot kept) {
        Deadline deadline = soon();
        while (!engine.settled(kept)) {
            if (deadline.passed()) {
                throw deadline.exceeded("putting a memory together");
            }
            LockSupport.parkNanos(5_000_000);
        }
    }

    private static Deadline soon() {
        return Deadline.in(Duration.ofMinutes(3));
    }

    private static Duration since(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }
}
