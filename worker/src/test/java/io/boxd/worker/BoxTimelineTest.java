package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.vmm.MachineSize;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Snapshots of boxes, the ways back to them, and forks that take their parents' place. */
@Tag("machine")
class BoxTimelineTest {
    private TestingBoxes house;

    @BeforeEach
    void open() {
        house = TestingBoxes.open();
    }

    @AfterEach
    void close() {
        house.close();
    }

    private KeptSnapshot save(String label) {
        return house.boxes().snapshot("one", SnapshotOrder.saved(Optional.of(label)), TestingBoxes.soon());
    }

    private void mark(String box, String value) {
        house.sh(box, "echo " + value + " > /tmp/mark; echo " + value + " > /data/mark; sync");
    }

    private String marks(String box) {
        return house.sh(box, "cat /tmp/mark /data/mark | tr '\\n' ' '");
    }

    @Test
    void aBoxGoesBackAndForth() {
        Box box = house.create("one");
        mark("one", "first");
        KeptSnapshot first = save("first");
        assertThat(first.parent()).isEmpty();
        mark("one", "second");
        KeptSnapshot left = house.boxes().rollback("one", "first", TestingBoxes.soon());
        assertThat(left.cause()).isEqualTo(KeptSnapshot.Cause.LEFT);
        assertThat(left.parent()).contains(first.id());
        assertThat(marks("one")).isEqualTo("first first");
        assertThat(house.boxes().find("one").id()).isEqualTo(box.id());
        mark("one", "third");
        KeptSnapshot third =
                house.boxes().snapshot("one", SnapshotOrder.before("e".repeat(32), "make"), TestingBoxes.soon());
        assertThat(third.parent()).as("the box came from the first").contains(first.id());
        assertThat(third.command()).contains("make");

        house.move("one", Move.HIBERNATE);
        KeptSnapshot asleep = save("asleep");
        assertThat(asleep.parent()).contains(third.id());
        house.boxes().rollback("one", left.id(), TestingBoxes.soon());
        assertThat(marks("one")).isEqualTo("second second");
        house.boxes().rollback("one", "asleep", TestingBoxes.soon());
        assertThat(marks("one")).isEqualTo("third third");

        Box copy = house.boxes()
                .create(
                        new NewBox(
                                "copy",
                                new Origination.FromSnapshot("first"),
                                Optional.empty(),
                                Map.of(),
                                Map.of(),
                                TestingBoxes.AWAKE,
                                new CheckpointRule.Off(),
                                Optional.empty(),
                                true),
                        TestingBoxes.soon());
        assertThat(copy.origin()).isEqualTo(new Origination.FromSnapshot("first"));
        assertThat(marks("copy")).isEqualTo("first first");
        house.boxes().destroy(List.of("one"), false, TestingBoxes.soon());
        assertThat(house.boxes().snapshots(Optional.empty()))
                .extracting(KeptSnapshot::id)
                .containsExactly(first.id(), asleep.id());
        assertThatThrownBy(() -> house.boxes().rollback("copy", "first", TestingBoxes.soon()))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("is not of copy");
    }

    @Test
    void aForkTakesItsParentsPlace() {
        Box parent = house.create("one");
        mark("one", "old");
        house.fork("one", "try");
        mark("try", "better");
        Box after = house.boxes().promote("try", TestingBoxes.soon());
        assertThat(after.id()).isEqualTo(parent.id());
        assertThat(after.name()).isEqualTo("one");
        assertThat(marks("one")).isEqualTo("better better");
        assertThat(house.sh("one", "hostname")).isEqualTo("one");
        assertThat(house.boxes().list()).extracting(Box::name).containsExactly("one");
        KeptSnapshot left = house.boxes().snapshots(Optional.of("one")).getLast();
        assertThat(left.cause()).isEqualTo(KeptSnapshot.Cause.LEFT);
        house.boxes().rollback("one", left.id(), TestingBoxes.soon());
        assertThat(marks("one")).isEqualTo("old old");
        assertThatThrownBy(() -> house.boxes().promote("one", TestingBoxes.soon()))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("is no fork");
    }

    @Test
    void aBoxGetsMoreOfEverything() {
        house.create("one");
        house.sh("one", "echo kept > /data/mark; sync");
        MachineSize larger = new MachineSize(2, 384 * MachineSize.MIB, 512 * MachineSize.MIB);
        Box resized = house.boxes().resize("one", larger, List.of(), TestingBoxes.soon());
        assertThat(resized.size()).isEqualTo(larger);
        assertThat(resized.status()).isEqualTo(Status.RUNNING);
        assertThat(house.sh("one", "cat /data/mark; nproc")).isEqualTo("kept\n2");
        long kilobytes = Long.parseLong(house.sh("one", "df -k /data | tail -1 | awk '{print $2}'"));
        assertThat(kilobytes).isGreaterThan(400 << 10);
        house.move("one", Move.HIBERNATE);
        assertThat(house.sh("one", "cat /data/mark")).isEqualTo("kept");
        assertThatThrownBy(() -> house.boxes().resize("one", TestingBoxes.SMALL, List.of(), TestingBoxes.soon()))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("smaller");
    }

    private static NewBox order(String name, CheckpointRule checkpoints, Optional<Duration> timeToLive) {
        return new NewBox(
                name,
                new Origination.FromImage("tiny"),
                Optional.of(TestingBoxes.SMALL),
                Map.of(),
                Map.of(),
                TestingBoxes.AWAKE,
                checkpoints,
                timeToLive,
                false);
    }

    @Test
    void checkpointsComeByThemselvesWhileSomethingChangesAndEndsComeInTime() {
        NewBox order = order("one", new CheckpointRule.Every(Duration.ofSeconds(1)), Optional.empty());
        assertThat(house.boxes().create(order, TestingBoxes.soon()).status()).isEqualTo(Status.STARTING);
        house.boxes()
                .create(
                        order("brief", new CheckpointRule.Off(), Optional.of(Duration.ofSeconds(2))),
                        TestingBoxes.soon());
        house.sh("one", "true");
        TestingBoxes.await(
                "a checkpoint",
                () -> house.boxes().snapshots(Optional.of("one")).stream()
                        .anyMatch(kept -> kept.cause() == KeptSnapshot.Cause.CHECKPOINT));
        TestingBoxes.await("the end of its time", () -> house.boxes().list().size() == 1);
        house.boxes().destroy(List.of("one"), false, TestingBoxes.soon());
        assertThat(house.boxes().snapshots(Optional.empty())).isEmpty();
    }
}
