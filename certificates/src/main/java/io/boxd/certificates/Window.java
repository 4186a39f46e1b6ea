package io.boxd.certificates;

import java.time.Duration;
import java.time.Instant;
import java.util.random.RandomGenerator;

/** The time within which an authority wants a certificate to be renewed. */
record Window(Instant begin, Instant end) {
    boolean contains(Instant moment) {
        return !moment.isBefore(begin) && !moment.isAfter(end);
    }

    /** Some moment of it, so that not all come at once. */
    Instant moment(RandomGenerator random) {
        long millis = Math.max(1, Duration.between(begin, end).toMillis());
        return begin.plusMillis(random.nextLong(millis));
    }
}
