package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class RetentionTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    /** A checkpoint every ten minutes for ten days, thinned out each time, as a server does. */
    @Test
    void theOlderTheFewer() {
        List<Instant> kept = new ArrayList<>();
        Instant now = START;
        for (int i = 0; i < 10 * 24 * 6; i++) {
            now = now.plus(Duration.ofMinutes(10));
            kept.add(now);
            kept.removeAll(Retention.expired(kept, 1000, now));
        }
        Instant end = now;
        assertThat(between(kept, end, Duration.ZERO, Duration.ofHours(1))).isBetween(6L, 7L);
        assertThat(between(kept, end, Duration.ofHours(1), Duration.ofDays(1))).isBetween(22L, 25L);
        assertThat(between(kept, end, Duration.ofDays(1), Duration.ofDays(7))).isBetween(6L, 7L);
        assertThat(kept).noneMatch(time -> Duration.between(time, end).toDays() > 7);
    }

    private static long between(List<Instant> times, Instant now, Duration from, Duration to) {
        return times.stream()
                .map(time -> Duration.between(time, now))
                .filter(age -> age.compareTo(from) > 0 || from.isZero())
                .filter(age -> age.compareTo(to) <= 0)
                .count();
    }

    @Test
    void neverMoreThanTheLimitAndTheNewestStay() {
        List<Instant> times = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            times.add(START.plusSeconds(i));
        }
        assertThat(Retention.expired(times, 5, START.plusSeconds(20))).isEqualTo(times.subList(0, 15));
        assertThat(Retention.expired(List.of(), 5, START)).isEmpty();
    }
}
