package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.linux.ControlGroups;
import io.boxd.linux.HostProcess;
import io.boxd.linux.SmallDisk;
import io.boxd.vmm.Engine;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import io.boxd.vmm.Remains;
import io.boxd.vmm.Snapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The power of an instance's disk cut at any moment: what was acknowledged is on it. */
@Tag("machine")
class PowerCutTest {
    private static final long DISK_BYTES = 1200L << 20;
    private static final int CUTS = WorkerHouse.LONG ? 25 : 2;
    private static final int LONGEST_LIFE_MILLIS = WorkerHouse.LONG ? 8000 : 5000;

    /**
     * Files whose sync alone is forgotten, and what is missed then.
     *
     * <p>Folders are not among them: this file system writes all names down whenever any file is synced, which
     * others need not do.
     */
    private enum Forgotten {
        MANIFEST("/manifest", "manifest"),
        MEMORY("/memory", "memory is damaged"),
        STATE("/state", "state is damaged"),
        RECORD("/record.db-wal", "is missing"),
        EVERYTHING("", "");

        private final String ending;
        private final String violation;

        Forgotten(String ending, String violation) {
            this.ending = ending;
            this.violation = violation;
        }
    }

    private final Random random = new Random(20_261_117);

    @Test
    void whatWasAcknowledgedIsThereAfterwards() throws Exception {
        assertThat(violations(CUTS)).isEmpty();
    }

    /** One forgotten sync each, right after the server has said that it has kept a snapshot. */
    @Test
    void redControlWithoutOneSyncItIsMissed() throws Exception {
        List<Forgotten> forgotten = WorkerHouse.LONG ? List.of(Forgotten.values()) : List.of(Forgotten.MANIFEST);
        Path forgetful = WorkerHouse.REPOSITORY.resolve("target/shared/release/libboxd_forgetful.so");
        for (Forgotten one : forgotten) {
            List<String> violations = new ArrayList<>();
            try (SmallDisk disk = new SmallDisk(DISK_BYTES)) {
                AckJournal journal = new AckJournal();
                Map<String, String> environment =
                        Map.of("LD_PRELOAD", forgetful.toString(), "BOXD_FORGETS", one.ending);
                try (ServerProcess server = new ServerProcess(disk.path(), random.nextLong(), environment)) {
                    server.runUntil(line -> line.startsWith("snapshot "), () -> cutPower(disk), journal::line);
                }
                findAgain(disk, journal, violations);
            }
            assertThat(violations).as(one.toString()).anyMatch(violation -> violation.contains(one.violation));
        }
    }

    private List<String> violations(int cuts) throws Exception {
        List<String> violations = new ArrayList<>();
        try (SmallDisk disk = new SmallDisk(DISK_BYTES)) {
            AckJournal journal = new AckJournal();
            for (int cut = 0; cut < cuts; cut++) {
                try (ServerProcess server = new ServerProcess(disk.path(), random.nextLong(), Map.of())) {
                    server.runFor(500 + random.nextLong(LONGEST_LIFE_MILLIS), () -> cutPower(disk), journal::line);
                }
                findAgain(disk, journal, violations);
            }
        }
        return violations;
    }

    private static void cutPower(SmallDisk disk) {
        disk.cutPower();
        killMachines(disk.path());
    }

    private static void findAgain(SmallDisk disk, AckJournal journal, List<String> violations) {
        killMachines(disk.path());
        removeGroups(disk.path());
        disk.unmount();
        disk.mount();
        check(disk.path(), journal, violations);
    }

    /** No control group survives a power cut. */
    private static void removeGroups(Path home) {
        ControlGroups groups = ControlGroups.open(WorkerHouse.instance(home));
        groups.names().forEach(name -> groups.remove(groups.find(name), Deadline.inSeconds(10)));
        groups.removeTree(Deadline.inSeconds(10));
    }

    /** A power cut ends them, too. */
    private static void killMachines(Path home) {
        Deadline deadline = Deadline.inSeconds(30);
        while (true) {
            try {
                killMachinesOnce(WorkerHouse.instance(home));
                return;
            } catch (IOException | UncheckedIOException e) {
                // Groups vanish while we look.
                if (deadline.passed()) {
                    throw deadline.exceeded("killing the machines of " + home);
                }
            }
        }
    }

    private static void killMachinesOnce(String instance) throws IOException {
        try (Stream<Path> groups = Files.walk(Path.of("/sys/fs/cgroup"), 4)) {
            for (Path procs : groups.filter(path -> path.toString().contains(instance) && path.endsWith("cgroup.procs"))
                    .toList()) {
                for (String pid : Files.readAllLines(procs)) {
                    HostProcess.of(Integer.parseInt(pid)).ifPresent(process -> {
                        process.kill();
                        process.awaitEnd(Deadline.inSeconds(10));
                    });
                }
            }
        }
    }

    private static void check(Path home, AckJournal journal, List<String> violations) {
        try (SqliteRecord record = SqliteRecord.open(home.resolve("record.db"));
                Engine engine = WorkerHouse.open(home, WorkerHouse.cache(), record)) {
            Map<String, Integer> snapshots = checkSnapshots(engine, journal, violations);
            checkRemains(engine, journal, violations);
            engine.found().remains().stream()
                    .filter(remains -> !remains.equals(engine.found().remains().getFirst()))
                    .forEach(engine::discard);
            journal.settle(Map.of(), snapshots);
        } catch (BoxdException e) {
            violations.add("the instance does not open: " + e.getMessage());
        }
    }

    private static void checkRemains(Engine engine, AckJournal journal, List<String> violations) {
        List<Remains> remains = engine.found().remains();
        List<String> ids =
                remains.stream().map(gone -> gone.identity().machineId()).toList();
        for (String id : journal.machines.keySet()) {
            if (!ids.contains(id) && !journal.pendingTouches(id)) {
                violations.add("machine " + id + " is missing: " + journal);
            }
        }
        Optional<Remains> one = remains.stream().findFirst();
        if (one.isEmpty() || !violations.isEmpty()) {
            // To boot one takes long, and is not needed to know that something is wrong.
            return;
        }
        Identity identity = one.get().identity();
        try (Machine again = engine.reboot(one.get(), identity.next(), Deadline.inSeconds(120))) {
            String mark = WorkerHouse.sh(again, "cat /data/mark 2>/dev/null || echo 0");
            Integer expected = journal.machines.get(identity.machineId());
            if (expected != null
                    && !journal.pendingTouches(identity.machineId())
                    && !mark.equals(expected.toString())) {
                violations.add("the disk of " + identity.machineId() + " has " + mark + ": " + journal);
            }
        } catch (BoxdException e) {
            violations.add("machine " + identity.machineId() + " does not boot: " + e.getMessage());
        }
    }

    private static Map<String, Integer> checkSnapshots(Engine engine, AckJournal journal, List<String> violations) {
        List<String> ids = engine.snapshots().stream().map(Snapshot::id).toList();
        for (String id : journal.snapshots.keySet()) {
            if (!ids.contains(id) && !journal.pendingTouches(id)) {
                violations.add("snapshot " + id + " is missing: " + journal);
            }
        }
        Map<String, Integer> found = new HashMap<>();
        for (Snapshot snapshot : engine.snapshots()) {
            try (Machine machine = engine.start(snapshot, Identity.fresh("check", 1), Deadline.inSeconds(120))) {
                String mark = WorkerHouse.sh(machine, "cat /tmp/mark 2>/dev/null || echo 0");
                found.put(snapshot.id(), Integer.valueOf(mark));
                Integer expected = journal.snapshots.get(snapshot.id());
                if (expected != null && !mark.equals(expected.toString())) {
                    violations.add("snapshot " + snapshot.id() + " has " + mark + ": " + journal);
                }
            } catch (BoxdException e) {
                violations.add("snapshot " + snapshot.id() + " does not start: " + e.getMessage());
            }
        }
        return found;
    }
}
