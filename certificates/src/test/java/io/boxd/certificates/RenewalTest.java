package io.boxd.certificates;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When certificates are asked for, and asked for again. */
@Tag("unit")
final class RenewalTest {
    private static final Instant NOW = Instant.parse("2026-11-19T10:00:00Z");

    @Test
    void aThirdOfTheLifeIsLeftForMendingWhatIsWrong() {
        assertThat(Renewal.usual(NOW, NOW.plus(Duration.ofDays(90)))).isEqualTo(NOW.plus(Duration.ofDays(60)));
        assertThat(Renewal.usual(NOW, NOW.plus(Duration.ofDays(6)))).isEqualTo(NOW.plus(Duration.ofDays(4)));
    }

    @Test
    void pausesGrowAndStopGrowing() {
        Random random = new Random(1);
        Duration before = Duration.ZERO;
        for (int failures = 1; failures < 6; failures++) {
            Duration pause = Renewal.pause(failures, random);
            assertThat(pause).isGreaterThan(before);
            before = pause;
        }
        for (int failures : new int[] {6, 20, 1_000_000, Integer.MAX_VALUE}) {
            assertThat(Renewal.pause(failures, random)).isBetween(Duration.ofHours(6), Duration.ofHours(8));
        }
    }

    @Test
    void aWindowThatAuthoritiesProposeIsKept() {
        Window window = new Window(NOW, NOW.plusSeconds(60));
        Random random = new Random(2);
        for (int i = 0; i < 1000; i++) {
            assertThat(window.contains(window.moment(random))).isTrue();
        }
        assertThat(window.contains(NOW.minusMillis(1))).isFalse();
        assertThat(new Window(NOW, NOW).moment(random)).isEqualTo(NOW);
    }
}
