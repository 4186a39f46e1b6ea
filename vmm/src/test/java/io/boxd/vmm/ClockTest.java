package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The guest's clock against the host's. */
@Tag("machine")
class ClockTest {
    private static final Duration TOLERANCE = Duration.ofMillis(500);

    private final TestHouse house = TestHouse.get();

    @Test
    void isRightAfterForkAndAfterStandby() {
        try (Machine source = house.start(house.debianBase())) {
            assertRight(source);
            try (Machine child = house.fork(source)) {
                assertRight(child);
                child.pause(Deadline.inSeconds(10));
                // Time that really passes while the machine stands still is the subject here.
                LockSupport.parkNanos(Duration.ofSeconds(3).toNanos());
                child.resume(Deadline.inSeconds(10));
                assertRight(child);
            }
        }
    }

    @Test
    void keepsItsRateUnderLoad() {
        Duration measured = Duration.ofSeconds(TestHouse.LONG ? 60 : 8);
        try (Machine machine = house.start(house.debianBase())) {
            sh(machine, "for i in 1 2; do (while :; do :; done) >/dev/null 2>&1 & done");
            Reading first = read(machine);
            LockSupport.parkNanos(measured.toNanos());
            Reading last = read(machine);
            double guest = Duration.between(first.guest(), last.guest()).toNanos();
            double host = Duration.between(first.host(), last.host()).toNanos();
            double uncertain = first.width().plus(last.width()).toNanos();
            assertThat(Math.abs(guest - host) - uncertain).isLessThan(0.01 * host);
        }
    }

    /** The guest's time, and the host's in the middle of asking for it. */
    private record Reading(Instant guest, Instant host, Duration width) {}

    private static Reading read(Machine machine) {
        Instant before = Instant.now();
        BigDecimal seconds = new BigDecimal(sh(machine, "date +%s.%N"));
        Instant after = Instant.now();
        Duration width = Duration.between(before, after);
        return new Reading(
                Instant.ofEpochSecond(0, seconds.movePointRight(9).longValue()),
                before.plus(width.dividedBy(2)),
                width);
    }

    private static void assertRight(Machine machine) {
        Reading reading = read(machine);
        assertThat(Duration.between(reading.guest(), reading.host()).abs())
                .isLessThan(TOLERANCE.plus(reading.width().dividedBy(2)));
    }
}
