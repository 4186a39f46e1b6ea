package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.linux.FileOwner;
import io.boxd.vmm.SnapshotRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server of boxes killed at any moment: nothing acknowledged is lost, nothing doubled, no box was ever stopped. */
@Tag("machine")
class KilledBoxesTest {
    private static final int KILLS = WorkerHouse.LONG ? 50 : 3;
    private static final int LONGEST_LIFE_MILLIS = 8000;

    private final Random random = new Random(20_261_118);
    private final BoxJournal journal = new BoxJournal();

    @Test
    void whatWasAcknowledgedHolds() throws Exception {
        Path home = Files.createTempDirectory("boxd-test-");
        try {
            for (int kill = 0; kill < KILLS; kill++) {
                try (ServerProcess server =
                        new ServerProcess(BoxCrashingServer.class, home, random.nextLong(), Map.of())) {
                    server.runFor(1000 + random.nextLong(LONGEST_LIFE_MILLIS), () -> {}, journal::line);
                }
                check(home);
            }
            assertThat(journal.acknowledged()).isGreaterThan(KILLS);
        } finally {
            destroyAll(home);
            FileOwner.deleteTree(home);
        }
    }

    private static HostBoxes open(Path home) {
        WorkerConfig config = TestingBoxes.config(home, home.resolve("registry"), WorkerHouse.cache());
        return HostBoxes.open(config, Optional.empty(), HostView.real(), BoxWitness.none(), TestingBoxes.soon());
    }

    private void check(Path home) throws IOException {
        try (HostBoxes boxes = open(home)) {
            checkNothingIsOver(home, boxes);
            Map<String, Integer> found = checkBoxes(boxes);
            Map<String, Integer> kept = checkSnapshots(boxes);
            journal.settle(found, kept);
        }
    }

    /** Every cell and every snapshot on disk belongs to somebody. */
    private void checkNothingIsOver(Path home, HostBoxes boxes) throws IOException {
        List<Box> all = boxes.list();
        assertThat(all)
                .as("never stopped")
                .allMatch(box -> Set.of(Status.RUNNING, Status.STANDBY, Status.HIBERNATED)
                        .contains(box.status()));
        long awake =
                all.stream().filter(box -> box.status() != Status.HIBERNATED).count();
        try (SqliteRecord record = SqliteRecord.open(home.resolve("record.db"))) {
            BoxRows rows = boxes.rows();
            assertThat(rows.boxes()).hasSize(all.size());
            assertThat(record.rows().machines()).hasSize((int) awake);
            assertThat(entries(home.resolve("cells"))).isEqualTo(awake);
            List<String> instants =
                    record.rows().snapshots().stream().map(SnapshotRow::id).toList();
            assertThat(entries(home.resolve("snapshots"))).isEqualTo(instants.size());
            assertThat(instants)
                    .containsAll(rows.snapshots().values().stream()
                            .map(KeptRow::instant)
                            .collect(Collectors.toSet()));
            assertThat(instants.stream().filter(id -> !rows.keeps(id)).count()).isLessThanOrEqualTo(all.size() - awake);
        }
    }

    private Map<String, Integer> checkBoxes(HostBoxes boxes) {
        Map<String, Integer> found = new HashMap<>();
        for (Box box : boxes.list()) {
            found.put(box.name(), mark(boxes, box.name()));
        }
        for (Map.Entry<String, Integer> expected : journal.boxes.entrySet()) {
            if (!journal.isOpen(expected.getKey())) {
                assertThat(found).as(journal + " found " + found).contains(expected);
            }
        }
        for (String name : found.keySet()) {
            assertThat(journal.boxes.containsKey(name) || journal.isOpen(name))
                    .as(name + " is unknown: " + journal)
                    .isTrue();
        }
        return found;
    }

    private Map<String, Integer> checkSnapshots(HostBoxes boxes) {
        Map<String, Integer> found = new HashMap<>();
        for (KeptSnapshot kept : boxes.snapshots(Optional.empty())) {
            if (kept.label().isEmpty()) {
                // The state that a rollback or promotion left.
                boxes.forgetSnapshot(kept.id());
                continue;
            }
            NewBox order = new NewBox(
                    "check",
                    new Origination.FromSnapshot(kept.id()),
                    Optional.empty(),
                    Map.of(),
                    Map.of(),
                    TestingBoxes.AWAKE,
                    new CheckpointRule.Off(),
                    Optional.empty(),
                    true);
            boxes.create(order, TestingBoxes.soon());
            found.put(kept.label().get(), mark(boxes, "check"));
            boxes.destroy(List.of("check"), false, TestingBoxes.soon());
        }
        for (Map.Entry<String, Integer> expected : journal.snapshots.entrySet()) {
            if (!journal.isOpen(expected.getKey())) {
                assertThat(found).as(journal.toString()).contains(expected);
            }
        }
        return found;
    }

    /** In memory only: a box that was booted again has none. */
    private static int mark(HostBoxes boxes, String box) {
        return Integer.parseInt(TestingBoxes.sh(boxes, box, "cat /tmp/mark 2>/dev/null || echo 0"));
    }

    private static long entries(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.count();
        }
    }

    private static void destroyAll(Path home) throws IOException {
        try (HostBoxes boxes = open(home)) {
            boxes.snapshots(Optional.empty()).forEach(kept -> boxes.forgetSnapshot(kept.id()));
            boxes.destroy(boxes.list().stream().map(Box::id).toList(), false, TestingBoxes.soon());
            assertThat(entries(home.resolve("layers"))).isZero();
            assertThat(entries(home.resolve("cells"))).isZero();
            assertThat(entries(home.resolve("snapshots"))).isZero();
        }
    }
}
