package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.linux.ControlGroups;
import io.boxd.linux.FileOwner;
import io.boxd.meter.Consumption;
import io.boxd.meter.Used;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a real box has used, whoever was there to count it. */
@Tag("machine")
final class MetersTest {
    static final String WORK = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";

    private static final long MEMORY_MEBIBYTES = TestingBoxes.SMALL.memoryBytes() >> 20;
    private static final long DISK_MEBIBYTES = TestingBoxes.SMALL.diskBytes() >> 20;

    private static HostBoxes open(Path home) {
        WorkerConfig config = TestingBoxes.config(home, home.resolve("registry"), WorkerHouse.cache());
        return HostBoxes.open(config, Optional.empty(), HostView.real(), BoxWitness.none(), TestingBoxes.soon());
    }

    private static Consumption used(HostBoxes boxes) {
        List<Used> all = boxes.used(Instant.EPOCH);
        assertThat(all).hasSize(1);
        return all.getFirst().consumption();
    }

    /** What the kernel itself has counted for all cells that are there. */
    private static long kernelNanos(Path home) {
        ControlGroups groups = ControlGroups.open(WorkerHouse.instance(home));
        return groups.names().stream()
                .flatMap(name -> groups.cpuTime(groups.find(name)).stream())
                .mapToLong(time -> time.toNanos())
                .sum();
    }

    private static void assertBetween(long value, long least, long most) {
        assertThat(value).isBetween(least, most);
    }

    @Test
    void nothingIsLostOrDoubledByAKilledServerAndSleepCostsOnlyDisk() throws IOException {
        Path home = Files.createTempDirectory("boxd-test-");
        try {
            long[] made = new long[2];
            try (ServerProcess server = new ServerProcess(MeteredServer.class, home, 0, Map.of())) {
                made[0] = System.currentTimeMillis();
                server.runUntil("made"::equals, () -> made[1] = System.currentTimeMillis(), _ -> {});
                server.runUntil("worked"::equals, () -> {}, _ -> {});
            }
            long whenKilled = kernelNanos(home);
            assertThat(whenKilled).as("it has worked").isPositive();
            try (HostBoxes boxes = open(home)) {
                afterAKill(home, boxes, made, whenKilled);
            }
            try (HostBoxes boxes = open(home)) {
                Consumption before = used(boxes);
                boxes.destroy(List.of("one"), false, TestingBoxes.soon());
                Consumption after = used(boxes);
                assertThat(after.cpuNanos()).as("also of a box that is gone").isGreaterThanOrEqualTo(before.cpuNanos());
                assertThat(used(boxes)).as("and no more").isEqualTo(after);
            }
        } finally {
            try (HostBoxes boxes = open(home)) {
                boxes.destroy(boxes.list().stream().map(Box::id).toList(), false, TestingBoxes.soon());
            }
            FileOwner.deleteTree(home);
        }
    }

    private static void afterAKill(Path home, HostBoxes boxes, long[] made, long whenKilled) {
        long before = System.currentTimeMillis();
        Consumption found = used(boxes);
        long after = System.currentTimeMillis();
        assertBetween(found.cpuNanos(), whenKilled, kernelNanos(home));
        assertBetween(
                found.memoryMebibyteMillis(),
                MEMORY_MEBIBYTES * (before - made[1]),
                MEMORY_MEBIBYTES * (after - made[0]));
        assertBetween(
                found.diskMebibyteMillis(), DISK_MEBIBYTES * (before - made[1]), DISK_MEBIBYTES * (after - made[0]));
        long atLeast = kernelNanos(home);
        boxes.move("one", Move.HIBERNATE, TestingBoxes.soon());
        Consumption asleep = used(boxes);
        assertThat(asleep.cpuNanos()).as("what its machine did to its end").isGreaterThan(atLeast);
        TestingBoxes.await(
                "its disk to have cost something",
                () -> used(boxes).diskMebibyteMillis() > asleep.diskMebibyteMillis() + DISK_MEBIBYTES * 500);
        assertThat(used(boxes).memoryMebibyteMillis()).isEqualTo(asleep.memoryMebibyteMillis());
        assertThat(used(boxes).cpuNanos()).isEqualTo(asleep.cpuNanos());
        boxes.move("one", Move.WAKE, TestingBoxes.soon());
        TestingBoxes.sh(boxes, "one", WORK);
        long again = kernelNanos(home);
        Consumption awake = used(boxes);
        assertBetween(awake.cpuNanos() - asleep.cpuNanos(), again, kernelNanos(home));
        assertThat(awake.memoryMebibyteMillis()).isGreaterThan(asleep.memoryMebibyteMillis());
        boxes.move("one", Move.PAUSE, TestingBoxes.soon());
        Consumption paused = used(boxes);
        TestingBoxes.await(
                "its disk to have cost more",
                () -> used(boxes).diskMebibyteMillis() > paused.diskMebibyteMillis() + DISK_MEBIBYTES * 500);
        assertThat(used(boxes).memoryMebibyteMillis()).isEqualTo(paused.memoryMebibyteMillis());
    }
}
