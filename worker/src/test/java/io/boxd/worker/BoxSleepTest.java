package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.Execution;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Boxes that nobody uses sleep, those that somebody uses do not, and they say why. */
@Tag("machine")
class BoxSleepTest {
    private static final SleepRules SHORT = new SleepRules(Duration.ofSeconds(1), Duration.ofSeconds(1));

    private TestingBoxes house;

    @BeforeEach
    void open() {
        house = TestingBoxes.open();
    }

    @AfterEach
    void close() {
        house.close();
    }

    private Why.Source source(Why.Kind kind) {
        return house.boxes().why("one").sources().stream()
                .filter(source -> source.kind() == kind)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void anIdleBoxGoesStepByStepAndAUserWakesItOnce() {
        house.create("one", SHORT);
        house.awaitStatus("one", Status.STANDBY);
        assertThat(house.boxes().why("one").because()).contains("nothing happened");
        assertThat(house.boxes().why("one").sleepsIn()).isPresent();
        house.awaitStatus("one", Status.HIBERNATED);
        List<CompletableFuture<Hold>> callers = IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> house.boxes().hold("one", "caller " + i, TestingBoxes.soon()),
                        Thread::startVirtualThread))
                .toList();
        List<Hold> holds = callers.stream().map(CompletableFuture::join).toList();
        String boots = house.sh("one", "cat /run/boxd/generation");
        assertThat(boots).as("one wake for all").isEqualTo("2");
        assertThat(source(Why.Kind.HOLDS).active()).isTrue();
        assertThat(source(Why.Kind.HOLDS).detail()).contains("caller 3");
        holds.subList(1, holds.size()).forEach(Hold::close);
        stays(Duration.ofSeconds(3));
        holds.getFirst().close();
        house.awaitStatus("one", Status.STANDBY);
    }

    /** Watches for longer than two idle times. */
    private void stays(Duration time) {
        Deadline end = Deadline.in(time);
        TestingBoxes.await("nothing", () -> {
            assertThat(house.status("one")).isEqualTo(Status.RUNNING);
            return end.passed();
        });
    }

    @Test
    void commandsAndLeasesKeepItAwakeAndAQuietShellDoesNot() {
        house.create("one", new SleepRules(Duration.ofSeconds(1), Duration.ZERO));
        Execution command;
        try (Hold hold = house.boxes().hold("one", "a test", TestingBoxes.soon())) {
            command = hold.agent().start(ExecRequest.argv("sleep", "5"), TestingBoxes.soon());
            command.close();
        }
        house.boxes().commandBegun("one");
        stays(Duration.ofSeconds(3));
        assertThat(source(Why.Kind.COMMANDS).active()).isTrue();
        assertThat(source(Why.Kind.COMMANDS).detail()).contains("sleep 5");
        house.awaitStatus("one", Status.STANDBY);

        house.boxes().busy("one", Duration.ofSeconds(4), TestingBoxes.soon());
        stays(Duration.ofSeconds(3));
        assertThat(house.boxes().why("one").sources())
                .anyMatch(source -> source.kind() == Why.Kind.LEASES && source.active());
        try (Hold hold = house.boxes().hold("one", "a test", TestingBoxes.soon())) {
            hold.agent()
                    .start(ExecRequest.argv("/bin/sh").withPty(24, 80), TestingBoxes.soon())
                    .close();
        }
        house.awaitStatus("one", Status.STANDBY);
        assertThat(house.sh("one", "ps | grep -c '[/]bin/sh'"))
                .as("the quiet shell is still there")
                .isNotEqualTo("0");
    }

    @Test
    void workKeepsItAwake() {
        house.create("one", SHORT);
        try (Hold hold = house.boxes().hold("one", "a test", TestingBoxes.soon())) {
            hold.agent()
                    .run(
                            ExecRequest.argv("/bin/sh", "-c", "(while :; do :; done) >/dev/null 2>&1 &"),
                            TestingBoxes.soon());
        }
        stays(Duration.ofSeconds(3));
        assertThat(source(Why.Kind.PROCESSORS).active()).isTrue();
    }

    @Test
    void aStoppedBoxIsNotWoken() {
        house.create("one", SHORT);
        house.move("one", Move.STOP);
        assertThatThrownBy(() -> house.boxes().hold("one", "a test", TestingBoxes.soon()))
                .isInstanceOfSatisfying(BoxdException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.WRONG_STATE);
                    assertThat(e.hint()).contains("start");
                });
        assertThat(house.boxes().why("one").sources()).isEmpty();
    }
}
