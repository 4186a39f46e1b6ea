package io.boxd.trials;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** More boxes than the host has memory for, because most of them sleep. */
@Tag("machine")
@ParameterizedClass
@MethodSource("io.boxd.trials.Place#bothIfThereIsTime")
class ManyBoxesTest {
    private static final int LARGE = Instance.LONG ? 10 : 2;
    private static final int ALL = Instance.LONG ? 100 : 6;

    @Parameter
    @SuppressWarnings("NullAway.Init")
    private Place place;

    private Instance instance;
    private Seat seat;

    @BeforeEach
    void up() throws IOException {
        // The longer runs are about memory, so they have the whole system in each box.
        instance = Instance.LONG ? Instance.usual(place.settings()) : Instance.tiny(place.settings());
        instance.must("./boxd up");
        seat = place.at(instance);
    }

    @AfterEach
    void close() throws IOException {
        Place.leave(seat);
        instance.close();
    }

    @Test
    void boxesOfNominallyMoreMemoryThanThereIs() {
        for (String name : names(LARGE)) {
            seat.must("./boxd new --memory 8G --cpus 2 --idle off --name " + name);
        }
        for (String name : names(LARGE)) {
            assertThat(seat.must("./boxd exec " + name + " \"awk '/MemTotal/ {print \\$2}' /proc/meminfo\"")
                            .strip())
                    .satisfies(kib -> assertThat(Long.parseLong(kib)).isGreaterThan(7L << 20));
        }
        assertThat(statuses()).containsExactly(Map.entry("running", LARGE));
    }

    @Test
    void manyThatSleepAndAnswerAndComeBackAfterTheHostWasDown() throws IOException {
        for (String name : names(ALL)) {
            seat.must("./boxd new --idle 5s --hibernate-after 10s --name " + name);
            seat.must("./boxd exec " + name + " 'echo " + name + " > /dev/shm/mark'");
        }
        awaitAll("hibernated");
        Instance.await(
                "that no machine is left but those made ahead",
                () -> machines()
                        == instance.json("./boxd status --json")
                                .path("spare_machines")
                                .asInt(),
                Deadline.inSeconds(60));
        for (String name : names(ALL)) {
            assertThat(seat.must("./boxd exec " + name + " 'cat /dev/shm/mark'"))
                    .isEqualTo(name + "\n");
        }
        // What a host does that shuts down, and starts again.
        instance.must("./boxd down --boxes");
        instance.awaitNoProcess();
        instance.must("./boxd up");
        for (String name : names(ALL)) {
            assertThat(seat.must("./boxd exec " + name + " 'cat /dev/shm/mark'"))
                    .isEqualTo(name + "\n");
        }
    }

    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "many-" + i).toList();
    }

    private long machines() throws IOException {
        return instance.processes().values().stream()
                .filter(line -> line.contains("qemu"))
                .count();
    }

    /** How many boxes are in each status. */
    private Map<String, Integer> statuses() {
        Map<String, Integer> counts = new HashMap<>();
        seat.json("./boxd list --all --json")
                .forEach(box -> counts.merge(box.path("status").asString(), 1, Integer::sum));
        return counts;
    }

    private void awaitAll(String status) throws IOException {
        Deadline deadline = Deadline.inSeconds(Instance.LONG ? 900 : 120);
        Instance.await("that all are " + status, () -> statuses().equals(Map.of(status, ALL)), deadline);
    }
}
