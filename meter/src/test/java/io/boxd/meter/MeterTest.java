package io.boxd.meter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
final class MeterTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final long MIB = 1L << 20;

    private static Reading reading(Instant at, boolean ran, boolean awake, Optional<Counters> counters) {
        return new Reading("bx", "ada", Optional.empty(), at, ran, awake, counters, 100 * MIB, 7 * MIB, false);
    }

    private static Optional<Counters> counted(String epoch, long nanos) {
        return Optional.of(new Counters(epoch, nanos, 2 * nanos, 3 * nanos));
    }

    @Test
    void aBoxThatSleepsTakesOnlyItsDisk() {
        Meter.Step asleep = Meter.step(Optional.empty(), reading(NOON, false, false, Optional.empty()));
        assertThat(asleep.used()).isEmpty();
        Meter.Step later =
                Meter.step(Optional.of(asleep.after()), reading(NOON.plusMillis(1500), false, true, Optional.empty()));
        assertThat(later.used()).containsOnlyKeys(NOON).containsValue(new Consumption(0, 0, 7 * 1500, 0, 0));
        Meter.Step awake =
                Meter.step(Optional.of(later.after()), reading(NOON.plusMillis(2000), true, true, counted("m1", 5)));
        assertThat(awake.used()).containsValue(new Consumption(5, 100 * 500, 7 * 500, 10, 15));
    }

    @Test
    void timesAreCutAtFullHours() {
        MeterState state = Meter.step(
                        Optional.empty(), reading(NOON.plus(Duration.ofMinutes(59)), false, true, Optional.empty()))
                .after();
        Meter.Step step = Meter.step(
                Optional.of(state), reading(NOON.plus(Duration.ofMinutes(121)), true, true, counted("m1", 9)));
        assertThat(step.used()).hasSize(3);
        assertThat(step.used().get(NOON)).isEqualTo(new Consumption(0, 100 * 60_000, 7 * 60_000, 0, 0));
        assertThat(step.used().get(NOON.plus(Duration.ofHours(1))))
                .isEqualTo(new Consumption(0, 100 * 3_600_000L, 7 * 3_600_000L, 0, 0));
        assertThat(step.used().get(NOON.plus(Duration.ofHours(2))))
                .isEqualTo(new Consumption(9, 100 * 60_000, 7 * 60_000, 18, 27));
    }

    @Test
    void anotherMachineCountsFromNothingAndTheSameGoesOn() {
        MeterState one = Meter.step(Optional.empty(), reading(NOON, false, true, counted("m1", 50)))
                .after();
        assertThat(Meter.step(Optional.of(one), reading(NOON, true, true, counted("m1", 60)))
                        .used())
                .containsValue(new Consumption(10, 0, 0, 20, 30));
        assertThat(Meter.step(Optional.of(one), reading(NOON, true, true, counted("m2", 60)))
                        .used())
                .containsValue(new Consumption(60, 0, 0, 120, 180));
    }

    /** What is just ending may answer with nothing; that is no use that is taken back. */
    @Test
    void countersAndClocksThatGoBackTakeNothingBackAndCountNothingTwice() {
        MeterState one = Meter.step(Optional.empty(), reading(NOON, false, true, counted("m1", 50)))
                .after();
        Meter.Step back = Meter.step(Optional.of(one), reading(NOON.minusSeconds(9), true, true, counted("m1", 0)));
        assertThat(back.used()).isEmpty();
        assertThat(back.after().at()).isEqualTo(NOON);
        Meter.Step on =
                Meter.step(Optional.of(back.after()), reading(NOON.plusMillis(1), true, true, counted("m1", 51)));
        assertThat(on.used()).containsValue(new Consumption(1, 100, 7, 2, 3));
        MeterState without = Meter.step(Optional.of(one), reading(NOON, true, false, Optional.empty()))
                .after();
        assertThat(Meter.step(Optional.of(without), reading(NOON, false, true, counted("m1", 50)))
                        .used())
                .isEmpty();
    }
}
