package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.FileOwner;
import io.boxd.vmm.Engine;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import io.boxd.vmm.MachineRow;
import io.boxd.vmm.Snapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server killed again and again at any moment: what it acknowledged holds, and nothing is left over. */
@Tag("machine")
class KilledServerTest {
    private static final int KILLS = WorkerHouse.LONG ? 100 : 4;
    private static final int LONGEST_LIFE_MILLIS = 3000;
    private static final int IMAGE_LAYERS = 2;

    private final Random random = new Random(20_261_116);
    private final AckJournal journal = new AckJournal();
    /** Snapshots that were started before, with the mark that they had. */
    private final Map<String, Integer> checked = new HashMap<>();

    private int flattened;

    @Test
    void nothingAcknowledgedIsMissingAndNothingRunsTwice() throws Exception {
        Path home = Files.createTempDirectory("boxd-test-");
        try {
            if (WorkerHouse.LONG) {
                keepDeepMachine(home);
            }
            for (int kill = 0; kill < KILLS; kill++) {
                runAndKill(home);
                check(home, kill == KILLS - 1);
            }
            assertThat(flattened).isGreaterThanOrEqualTo(WorkerHouse.LONG ? 1 : 0);
        } finally {
            try (SqliteRecord record = SqliteRecord.open(home.resolve("record.db"));
                    Engine engine = WorkerHouse.open(home, WorkerHouse.cache(), record)) {
                engine.found().machines().forEach(Machine::close);
                engine.found().remains().forEach(engine::discard);
                engine.snapshots().forEach(engine::forget);
            }
            FileOwner.deleteTree(home);
        }
    }

    /** A snapshot whose machines have so many layers that they are flattened. */
    private void keepDeepMachine(Path home) {
        try (SqliteRecord record = SqliteRecord.open(home.resolve("record.db"));
                Engine engine = WorkerHouse.open(home, WorkerHouse.cache(), record)) {
            Machine machine = engine.start(
                    WorkerHouse.base(engine, WorkerHouse.cache()), Identity.fresh("first", 1), Deadline.inSeconds(120));
            // The last one by the hibernation, after which nothing is flattened here any more.
            for (int layer = IMAGE_LAYERS; layer < CrashingServer.LONG_CHAIN; layer++) {
                WorkerHouse.sh(machine, "echo 7 > /tmp/mark; echo " + layer + " > /data/mark; sync");
                engine.forget(engine.snapshot(machine, Deadline.inSeconds(120)).snapshot());
            }
            WorkerHouse.sh(machine, "echo 7 > /data/mark; sync");
            Snapshot deep = engine.hibernate(machine, Deadline.inSeconds(120)).snapshot();
            journal.settle(Map.of(), Map.of(deep.id(), 7));
        }
    }

    private void runAndKill(Path home) throws IOException, InterruptedException {
        try (ServerProcess server = new ServerProcess(home, random.nextLong(), Map.of())) {
            server.runFor(random.nextLong(LONGEST_LIFE_MILLIS), () -> {}, journal::line);
        }
    }

    private void check(Path home, boolean last) throws IOException {
        try (SqliteRecord record = SqliteRecord.open(home.resolve("record.db"));
                Engine engine = WorkerHouse.open(home, WorkerHouse.cache(), record)) {
            countFlattened(record);
            assertThat(engine.found().remains()).as(journal.toString()).isEmpty();
            Map<String, Integer> machines = checkMachines(engine);
            Map<String, Integer> snapshots = checkSnapshots(engine, last);
            assertThat(entries(home.resolve("cells")))
                    .hasSameSizeAs(engine.found().machines());
            assertThat(entries(home.resolve("snapshots"))).hasSameSizeAs(engine.snapshots());
            journal.settle(machines, snapshots);
            if (last) {
                engine.found().machines().forEach(Machine::close);
                engine.snapshots().forEach(engine::forget);
                assertThat(entries(home.resolve("layers"))).isEmpty();
                assertThat(entries(home.resolve("cells"))).isEmpty();
                assertThat(entries(home.resolve("snapshots"))).isEmpty();
            } else {
                engine.found().machines().forEach(Machine::detach);
            }
        }
    }

    private void countFlattened(SqliteRecord record) {
        for (MachineRow row : record.rows().machines()) {
            boolean fromDeep = row.identity().hostname().equals("deep");
            flattened += fromDeep && row.layers().size() <= CrashingServer.LONG_CHAIN ? 1 : 0;
        }
    }

    private Map<String, Integer> checkMachines(Engine engine) {
        Map<String, Integer> found = new HashMap<>();
        for (Machine machine : engine.found().machines()) {
            String id = machine.identity().machineId();
            assertThat(found).as("runs twice").doesNotContainKey(id);
            int mark = mark(machine);
            if (!journal.pendingTouches(id)) {
                assertThat(journal.machines).as(journal.toString()).containsKey(id);
                assertThat(mark).as(journal.toString()).isEqualTo(journal.machines.get(id));
            }
            found.put(id, mark);
        }
        for (String id : journal.machines.keySet()) {
            if (!journal.pendingTouches(id)) {
                assertThat(found).as(journal.toString()).containsKey(id);
            }
        }
        return found;
    }

    /** Starts each that is new, one of those that were right before, and in the end all. */
    private Map<String, Integer> checkSnapshots(Engine engine, boolean all) {
        List<String> ids = engine.snapshots().stream().map(Snapshot::id).toList();
        for (String id : journal.snapshots.keySet()) {
            if (!journal.pendingTouches(id)) {
                assertThat(ids).as(journal.toString()).contains(id);
            }
        }
        Map<String, Integer> found = new HashMap<>();
        String again = ids.isEmpty() ? "" : ids.get(random.nextInt(ids.size()));
        for (Snapshot snapshot : engine.snapshots()) {
            Integer known = checked.get(snapshot.id());
            if (known != null && !all && !snapshot.id().equals(again)) {
                found.put(snapshot.id(), known);
                continue;
            }
            try (Machine machine = engine.start(snapshot, Identity.fresh("check", 1), Deadline.inSeconds(120))) {
                int mark = mark(machine);
                found.put(snapshot.id(), mark);
                Integer acknowledged = journal.snapshots.get(snapshot.id());
                if (acknowledged == null) {
                    assertThat(journal.pending("snapshot") || journal.pending("hibernate"))
                            .as(journal.toString())
                            .isTrue();
                } else {
                    assertThat(mark).as(journal.toString()).isEqualTo(acknowledged);
                }
                checked.put(snapshot.id(), mark);
            }
        }
        return found;
    }

    /** What the machine has both in memory and on disk; a mark being made may have reached only the former. */
    private static int mark(Machine machine) {
        String memory = WorkerHouse.sh(machine, "cat /tmp/mark 2>/dev/null || echo 0");
        return memory.isEmpty() ? 0 : Integer.parseInt(memory);
    }

    private static List<Path> entries(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return new ArrayList<>(entries.toList());
        }
    }
}
