package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.guest.ExecRequest;
import io.boxd.linux.HostProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is left of boxes when their server, their machine or their host ends. */
@Tag("machine")
class BoxRecoveryTest {
    private TestingBoxes house;

    @BeforeEach
    void open() {
        house = TestingBoxes.open();
    }

    @AfterEach
    void close() {
        house.close();
    }

    @Test
    void anotherServerGoesOnWithoutAStop() {
        house.create("one");
        house.create("two");
        house.sh("one", "(while :; do echo x >> /tmp/ticks; sleep 0.1; done) >/dev/null 2>&1 &");
        house.move("two", Move.PAUSE);
        String before = house.sh("one", "cat /run/boxd/generation; wc -l < /tmp/ticks");
        HostBoxes next = house.reopen();
        assertThat(next.list()).extracting(Box::status).containsExactly(Status.RUNNING, Status.STANDBY);
        String after = house.sh("one", "cat /run/boxd/generation; wc -l < /tmp/ticks");
        assertThat(after.lines().findFirst()).isEqualTo(before.lines().findFirst());
        assertThat(Integer.parseInt(after.lines().toList().getLast()))
                .isGreaterThan(Integer.parseInt(before.lines().toList().getLast()));
        assertThat(house.sh("two", "cat /run/boxd/generation")).isEqualTo("1");
        house.move("two", Move.STOP);
        assertThat(house.reopen().find("two").status()).isEqualTo(Status.STOPPED);
        house.move("two", Move.START);
    }

    @Test
    void aHostThatWasShutDownInOrderHasItsBoxesBack() {
        house.create("one");
        house.create("two");
        house.sh("one", "echo memory > /tmp/mark");
        house.move("two", Move.PAUSE);
        house.boxes().hibernateAll(TestingBoxes.soon());
        assertThat(house.boxes().list()).extracting(Box::status).containsOnly(Status.HIBERNATED);
        house.reopen(otherBoot("second"));
        house.awaitStatus("one", Status.RUNNING);
        assertThat(house.sh("one", "cat /tmp/mark")).isEqualTo("memory");
        assertThat(house.status("two")).as("it did not run").isEqualTo(Status.HIBERNATED);
    }

    private static HostView otherBoot(String boot) {
        return new HostView(boot, HostView.real().availableBytes());
    }

    /** The machines die with their server, and the host starts anew. */
    @Test
    void afterAPowerCutBoxesStartFromTheirDisks() {
        house.create("one");
        house.create("two");
        for (String box : List.of("one", "two")) {
            house.sh(box, "echo memory > /tmp/mark; echo disk > /data/mark; sync");
        }
        house.move("two", Move.PAUSE);
        house.boxes().close();
        killMachines();
        house.reopen(otherBoot("second"));
        house.awaitStatus("one", Status.RUNNING);
        assertThat(house.boxes().find("one").reason()).contains("stopped without warning");
        assertThat(house.sh("one", "cat /data/mark; ls /tmp/mark 2>/dev/null || true"))
                .isEqualTo("disk");
        assertThat(house.status("two")).isEqualTo(Status.STOPPED);
        assertThat(house.sh("two", "cat /data/mark")).as("started by its use").isEqualTo("disk");
    }

    private List<HostProcess> machines() {
        List<HostProcess> found = new ArrayList<>();
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            for (Path process : processes.toList()) {
                String name = process.getFileName().toString();
                if (name.matches("\\d+") && group(process).contains(WorkerHouse.instance(house.home()))) {
                    HostProcess.of(Integer.parseInt(name)).ifPresent(found::add);
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return found;
    }

    private static String group(Path process) {
        try {
            return Files.readString(process.resolve("cgroup"));
        } catch (IOException e) {
            return "";
        }
    }

    private void killMachines() {
        List<HostProcess> all = machines();
        assertThat(all).isNotEmpty();
        all.forEach(HostProcess::kill);
        all.forEach(process -> process.awaitEnd(TestingBoxes.soon()));
    }

    @Test
    void aMachineThatDiesLeavesABoxThatSaysWhyAndCanBeStarted() {
        house.create("one");
        house.sh("one", "echo disk > /data/mark; sync");
        killMachines();
        house.awaitStatus("one", Status.FAILED);
        assertThat(house.boxes().find("one").reason()).contains("killed or crashed");
        assertThatThrownBy(() -> house.sh("one", "true"))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WRONG_STATE));
        house.move("one", Move.START);
        assertThat(house.sh("one", "cat /data/mark")).isEqualTo("disk");

        try (Hold hold = house.boxes().hold("one", "a test", TestingBoxes.soon())) {
            hold.agent().start(ExecRequest.argv("/bin/sh", "-c", "sleep 0.3; reboot -f"), TestingBoxes.soon());
        }
        TestingBoxes.await(
                "the restart",
                () -> house.boxes().find("one").reason().contains("restarted itself")
                        && house.status("one") == Status.RUNNING);
        assertThat(house.sh("one", "cat /data/mark")).isEqualTo("disk");
        try (Hold hold = house.boxes().hold("one", "a test", TestingBoxes.soon())) {
            hold.agent().start(ExecRequest.argv("/bin/sh", "-c", "sleep 0.3; poweroff -f"), TestingBoxes.soon());
        }
        house.awaitStatus("one", Status.STOPPED);
        assertThat(house.boxes().find("one").reason()).contains("switched itself off");
        assertThat(house.boxes().console("one")).isNotEmpty();
    }

    @Test
    void theLongestIdleMakeRoomForOthers() {
        house.create("one");
        house.create("two");
        long each = 200L << 20;
        // A host with memory for two machines: what a sleeping box gives back can be had.
        HostView small = new HostView(
                HostView.real().boot(),
                () -> 3 * each
                        - each
                                * house.boxes().list().stream()
                                        .filter(box -> box.status() == Status.RUNNING || box.status() == Status.STANDBY)
                                        .count());
        house.reopen(small);
        house.move("one", Move.PAUSE);
        assertThat(house.status("two")).isEqualTo(Status.RUNNING);
        house.reopen(house.config().withMemoryReserveBytes(each));
        house.create("three");
        assertThat(house.status("one")).isEqualTo(Status.HIBERNATED);
        try (Hold two = house.boxes().hold("two", "a test", TestingBoxes.soon());
                Hold three = house.boxes().hold("three", "a test", TestingBoxes.soon())) {
            assertThat(List.of(two.box().name(), three.box().name())).containsExactly("two", "three");
            assertThatThrownBy(() -> house.create("four")).isInstanceOfSatisfying(BoxdException.class, e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
                assertThat(e.hint()).isNotBlank();
            });
        }
        assertThat(house.boxes().list()).extracting(Box::name).containsExactly("one", "two", "three");
    }

    @Test
    void thereIsALimitOnEverything() {
        Limits tight = new Limits(2, 2, 2, 1, 1, 2, 8, 64, Duration.ofHours(1));
        house.reopen(house.config().withLimits(tight).withWarm(1));
        house.create("one");
        house.boxes().snapshot("one", SnapshotOrder.saved(Optional.empty()), TestingBoxes.soon());
        assertThatThrownBy(
                        () -> house.boxes().snapshot("one", SnapshotOrder.saved(Optional.empty()), TestingBoxes.soon()))
                .hasMessageContaining("snapshots");
        assertThatThrownBy(() -> house.boxes().label("one", Map.of("k", Optional.of("123456789"))))
                .hasMessageContaining("label");
        assertThatThrownBy(() -> house.boxes()
                        .fork("one", new ForkOrder(List.of("a", "b"), false, Map.of()), TestingBoxes.soon()))
                .hasMessageContaining("may have 2");
        for (String name : List.of("3000-app", "-a", "A", "a_b", "", "a".repeat(41))) {
            assertThatThrownBy(() -> house.create(name)).isInstanceOf(BoxdException.class);
        }
        assertThatThrownBy(() -> house.boxes().busy("one", Duration.ofHours(2), TestingBoxes.soon()))
                .hasMessageContaining("awake");
        assertThat(house.boxes().list()).hasSize(1);
    }

    @Test
    void aHostThatRunsAsManyAsItMaySaysSo() {
        Limits one = new Limits(2, 1, 2, 1, 1, 2, 8, 64, Duration.ofHours(1));
        house.reopen(house.config().withLimits(one));
        house.create("one");
        ForkOrder copy = new ForkOrder(List.of("two"), false, Map.of());
        try (Hold _ = house.boxes().hold("one", "a test", TestingBoxes.soon())) {
            assertThatThrownBy(() -> house.boxes().fork("one", copy, TestingBoxes.soon()))
                    .isInstanceOfSatisfying(BoxdException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
                        assertThat(e).hasMessageContaining("at most 1");
                        assertThat(e.hint()).isNotBlank();
                    });
        }
        assertThat(house.boxes().list()).extracting(Box::name).containsExactly("one");
    }
}
