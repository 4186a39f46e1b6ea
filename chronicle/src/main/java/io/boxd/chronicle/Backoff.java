package io.boxd.chronicle;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before something that failed is tried again: twice as long each time, and never quite the same.
 *
 * @param first after the first failure
 * @param longest however often it failed
 * @param giveUp so long after the event nobody tries any more
 */
record Backoff(Duration first, Duration longest, Duration giveUp) {
    private static final int MOST_DOUBLINGS = 30;

    static Backoff usual() {
        return new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(10), Duration.ofHours(24));
    }

    /** Between half and all of the time, so that those who failed together do not come back together. */
    Duration after(int failures, RandomGenerator random) {
        long doubled = first.toMillis() << Math.min(MOST_DOUBLINGS, Math.max(0, failures - 1));
        long most = Math.max(2, Math.min(longest.toMillis(), doubled));
        return Duration.ofMillis(random.nextLong(most / 2, most + 1));
    }
}
