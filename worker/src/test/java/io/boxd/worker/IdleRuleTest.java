package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.worker.IdleRule.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class IdleRuleTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Duration IDLE = Duration.ofSeconds(30);

    private static Instant ago(long seconds) {
        return NOW.minusSeconds(seconds);
    }

    @Test
    void nothingActiveForTheIdleTimeIsSleep() {
        List<Signal> quiet =
                List.of(Signal.quiet(Why.Kind.HOLDS, "", ago(31)), Signal.quiet(Why.Kind.PROCESSORS, "", ago(40)));
        assertThat(IdleRule.judge(quiet, ago(30), IDLE, NOW)).isEqualTo(new Verdict.Sleep());
        assertThat(IdleRule.judge(quiet, ago(10), IDLE, NOW)).isEqualTo(new Verdict.Wait(Duration.ofSeconds(20)));
        assertThat(IdleRule.judge(quiet, ago(99), Duration.ZERO, NOW)).isEqualTo(new Verdict.Never());
    }

    /** One source is enough to stay awake, however long the others have been quiet. */
    @Test
    void anyActiveSourceKeepsABoxAwake() {
        for (Why.Kind active : Why.Kind.values()) {
            List<Signal> signals = new ArrayList<>();
            for (Why.Kind kind : Why.Kind.values()) {
                signals.add(kind == active ? Signal.active(kind, "", NOW) : Signal.quiet(kind, "", ago(999)));
            }
            assertThat(IdleRule.judge(signals, ago(999), IDLE, NOW)).isInstanceOf(Verdict.Wait.class);
            assertThat(IdleRule.sources(signals, NOW).getFirst().kind()).isEqualTo(active);
        }
    }

    @Test
    void sleepOnlyComesAfterTheWholeIdleTime() {
        Random random = new Random(7);
        for (int i = 0; i < 2000; i++) {
            List<Signal> signals = new ArrayList<>();
            long latest = 999;
            for (Why.Kind kind : Why.Kind.values()) {
                long seconds = random.nextLong(60);
                latest = Math.min(latest, seconds);
                signals.add(Signal.quiet(kind, "", ago(seconds)));
            }
            long touched = random.nextLong(60);
            long quiet = Math.min(latest, touched);
            Verdict expected = quiet >= 30 ? new Verdict.Sleep() : new Verdict.Wait(Duration.ofSeconds(30 - quiet));
            assertThat(IdleRule.judge(signals, ago(touched), IDLE, NOW)).isEqualTo(expected);
        }
    }

    @Test
    void countsThatGrowAreActivityAndAQuietMachineIsNot() {
        Activity activity = new Activity(ago(60));
        activity.begin(new Activity.Count(ago(60), Duration.ofSeconds(5), 10, 20));
        activity.count(new Activity.Count(ago(30), Duration.ofSeconds(6), 10, 20), 8);
        assertThat(activity.counted()).noneMatch(Signal::active);
        activity.count(new Activity.Count(NOW, Duration.ofSeconds(10), 10, 21), 8);
        assertThat(activity.counted())
                .filteredOn(Signal::active)
                .extracting(Signal::kind)
                .containsExactlyInAnyOrder(Why.Kind.PROCESSORS, Why.Kind.SENT);
    }
}
