package io.boxd.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
final class DeadlineTest {
    @Test
    void countsDownAndNeverBelowZero() {
        Deadline deadline = Deadline.inSeconds(60);
        assertThat(deadline.passed()).isFalse();
        assertThat(deadline.left()).isBetween(Duration.ofSeconds(50), Duration.ofSeconds(60));

        Deadline over = Deadline.in(Duration.ofSeconds(-5));
        assertThat(over.passed()).isTrue();
        assertThat(over.leftNanos()).isZero();
        assertThat(over.leftMillis()).isZero();
    }

    @Test
    void roundsMillisecondsUpSoThatZeroMeansOver() {
        Deadline deadline = Deadline.inMillis(5_000);
        long millis = deadline.leftMillis();
        assertThat(millis)
                .isGreaterThanOrEqualTo(deadline.leftNanos() / 1_000_000)
                .isLessThanOrEqualTo(5_000);
        Deadline oneNano = Deadline.in(Duration.ofHours(1));
        assertThat(oneNano.leftMillis()).isPositive();
    }

    @Test
    void soonerOfTwoWins() {
        Deadline minute = Deadline.inSeconds(60);
        assertThat(minute.orSooner(Duration.ofHours(1))).isSameAs(minute);
        assertThat(minute.orSooner(Duration.ofSeconds(1)).left()).isLessThanOrEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void errorSaysWhatAndHowLong() {
        BoxdException error = Deadline.inMillis(250).exceeded("qemu-img");
        assertThat(error.code()).isEqualTo(ErrorCode.TIMEOUT);
        assertThat(error).hasMessage("qemu-img did not finish within 250 ms");
    }
}
