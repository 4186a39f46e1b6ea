package io.boxd.worker;

import static io.boxd.worker.BoxEvent.Kind.CREATED;
import static io.boxd.worker.BoxEvent.Kind.DESTROYED;
import static io.boxd.worker.BoxEvent.Kind.EXPIRED;
import static io.boxd.worker.BoxEvent.Kind.FAILED;
import static io.boxd.worker.BoxEvent.Kind.FORKED;
import static io.boxd.worker.BoxEvent.Kind.HIBERNATED;
import static io.boxd.worker.BoxEvent.Kind.IDLE_CHANGED;
import static io.boxd.worker.BoxEvent.Kind.LABELLED;
import static io.boxd.worker.BoxEvent.Kind.PAUSED;
import static io.boxd.worker.BoxEvent.Kind.PROMOTED;
import static io.boxd.worker.BoxEvent.Kind.READY;
import static io.boxd.worker.BoxEvent.Kind.REBOOTED;
import static io.boxd.worker.BoxEvent.Kind.RENAMED;
import static io.boxd.worker.BoxEvent.Kind.RESIZED;
import static io.boxd.worker.BoxEvent.Kind.RESUMED;
import static io.boxd.worker.BoxEvent.Kind.ROLLED_BACK;
import static io.boxd.worker.BoxEvent.Kind.SNAPSHOT_FORGOTTEN;
import static io.boxd.worker.BoxEvent.Kind.SNAPSHOT_KEPT;
import static io.boxd.worker.BoxEvent.Kind.STARTED;
import static io.boxd.worker.BoxEvent.Kind.STOPPED;
import static io.boxd.worker.BoxEvent.Kind.WOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.vmm.MachineSize;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Everything that happens to real boxes is told, in order and with its cause. */
@Tag("machine")
class BoxWitnessTest {
    private TestingBoxes house;

    @BeforeEach
    void open() {
        house = TestingBoxes.open();
    }

    @AfterEach
    void close() {
        house.close();
    }

    private BoxEvent last(String box, BoxEvent.Kind kind) {
        return house.witness().of(box).stream()
                .filter(event -> event.kind() == kind)
                .reduce((_, later) -> later)
                .orElseThrow();
    }

    @Test
    void aLifeFromBeginningToEnd() {
        String one = house.create("one").id();
        house.move("one", Move.HIBERNATE);
        house.move("one", Move.WAKE);
        house.move("one", Move.STOP);
        house.move("one", Move.START);
        house.move("one", Move.REBOOT);
        house.boxes().rename("one", "uno");
        house.boxes().label("uno", Map.of("job", Optional.of("nightly")));
        house.boxes().snapshot("uno", SnapshotOrder.saved(Optional.of("clean")), TestingBoxes.soon());
        house.boxes().rollback("uno", "clean", TestingBoxes.soon());
        house.boxes().forgetSnapshot("clean");
        assertThat(house.witness().kindsOf(one))
                .containsExactly(
                        CREATED,
                        READY,
                        HIBERNATED,
                        WOKEN,
                        STOPPED,
                        STARTED,
                        REBOOTED,
                        RENAMED,
                        LABELLED,
                        SNAPSHOT_KEPT,
                        SNAPSHOT_KEPT,
                        ROLLED_BACK,
                        SNAPSHOT_FORGOTTEN);
        assertThat(house.witness().of(one))
                .allSatisfy(event -> assertThat(event.because()).isNotEmpty());
        assertThat(last(one, RENAMED).details()).containsEntry("before", "one").containsEntry("name", "uno");
        assertThat(last(one, ROLLED_BACK).status()).contains(Status.RUNNING);
    }

    @Test
    void restAndWhatItIsMadeOf() {
        String one = house.create("one").id();
        house.move("one", Move.PAUSE);
        house.move("one", Move.RESUME);
        house.boxes().setSleep("one", new SleepRules(Duration.ofMinutes(5), Duration.ofMinutes(9)));
        MachineSize size = house.boxes().find("one").size();
        MachineSize larger = new MachineSize(size.cpus() + 1, size.memoryBytes(), size.diskBytes());
        house.boxes().resize("one", larger, List.of(), TestingBoxes.soon());
        assertThat(house.witness().kindsOf(one))
                .containsExactly(CREATED, READY, PAUSED, RESUMED, IDLE_CHANGED, RESIZED, REBOOTED);
        assertThat(house.witness().of(one))
                .allSatisfy(event -> assertThat(event.because()).isNotEmpty());
        assertThat(last(one, IDLE_CHANGED).details()).containsEntry("idle_after_s", 300L);
        assertThat(last(one, RESIZED).details()).containsEntry("cpus", larger.cpus());
        assertThat(last(one, REBOOTED).because()).isEqualTo("it was resized");
    }

    @Test
    void forksTellOfTheirParentsAndOfTakingTheirPlace() {
        String one = house.create("one").id();
        String two = house.fork("one", "two").id();
        assertThat(last(two, FORKED).details()).containsEntry("parent", one);
        house.boxes().promote("two", TestingBoxes.soon());
        assertThat(house.witness().kindsOf(two)).containsExactly(FORKED, READY, HIBERNATED, DESTROYED);
        assertThat(last(two, DESTROYED).because()).isEqualTo("one took its state");
        assertThat(last(one, PROMOTED).details()).containsEntry("fork", two);
        assertThat(house.witness().of(two))
                .as("also of a box that is gone")
                .allSatisfy(
                        event -> assertThat(event.whose().orElseThrow().owner()).isNotEmpty());
    }

    @Test
    void whatHappensByItselfHasItsCause() {
        Box idle = house.create("idle", new SleepRules(Duration.ofSeconds(1), Duration.ZERO));
        house.awaitStatus("idle", Status.STANDBY);
        assertThat(last(idle.id(), PAUSED).because()).contains("nothing happened in it");
        NewBox order = TestingBoxes.order("short", TestingBoxes.AWAKE);
        Box brief = house.boxes()
                .create(
                        new NewBox(
                                order.name(),
                                order.origin(),
                                order.size(),
                                Map.of(),
                                Map.of(),
                                order.sleep(),
                                order.checkpoints(),
                                Optional.of(Duration.ofSeconds(8)),
                                true),
                        TestingBoxes.soon());
        TestingBoxes.await(
                "the end of its time", () -> house.witness().kindsOf(brief.id()).contains(DESTROYED));
        assertThat(house.witness().kindsOf(brief.id())).containsExactly(CREATED, READY, EXPIRED, DESTROYED);
        assertThat(last(brief.id(), DESTROYED).because()).contains("time to live");
        Box sick = house.create("sick");
        try (Hold hold = house.boxes().hold("sick", "a test", TestingBoxes.soon())) {
            hold.agent()
                    .start(
                            io.boxd.guest.ExecutionId.random(),
                            io.boxd.guest.ExecRequest.argv("/bin/sh", "-c", "echo c > /proc/sysrq-trigger"),
                            TestingBoxes.soon());
            TestingBoxes.await(
                    "its failure", () -> house.witness().kindsOf(sick.id()).contains(FAILED));
        }
        assertThat(last(sick.id(), FAILED).because()).isNotEmpty();
    }

    @Test
    void theNextServerTellsWhereItFoundBoxes() {
        Box one = house.create("one");
        house.move("one", Move.PAUSE);
        house.reopen();
        assertThat(house.witness().found()).extracting(BoxEvent::box).containsExactly(one.id());
        assertThat(house.witness().found().getFirst().status()).contains(Status.STANDBY);
    }
}
