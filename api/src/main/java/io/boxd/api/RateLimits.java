package io.boxd.api;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * How often each caller may ask: a bucket for each, which fills at the rate and holds some seconds of it.
 *
 * <p>Only so many callers are remembered; the one that asked least recently is forgotten first.
 */
final class RateLimits {
    /** So much may come at once after a quiet time. */
    static final int BURST_SECONDS = 10;

    private static final int MOST_CALLERS = 4096;
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final long perSecond;
    private final LongSupplier clock;
    private final Map<String, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
            return size() > MOST_CALLERS;
        }
    };

    /**
     * Limits of so many requests a second.
     *
     * @param perSecond 0 for no limit
     * @param clock in nanoseconds
     */
    RateLimits(int perSecond, LongSupplier clock) {
        this.perSecond = perSecond;
        this.clock = clock;
    }

    /** What a caller may still ask, in nanoseconds of filling. */
    private static final class Bucket {
        private long nanos;
        private long seen;
    }

    /** Takes one; otherwise how long the caller has to wait for the next. */
    synchronized Optional<Duration> take(String caller) {
        if (perSecond == 0) {
            return Optional.empty();
        }
        long now = clock.getAsLong();
        long full = BURST_SECONDS * SECOND;
        long price = SECOND / perSecond;
        Bucket bucket = buckets.computeIfAbsent(caller, _ -> {
            Bucket fresh = new Bucket();
            fresh.nanos = full;
            fresh.seen = now;
            return fresh;
        });
        bucket.nanos = Math.min(full, bucket.nanos + (now - bucket.seen));
        bucket.seen = now;
        if (bucket.nanos < price) {
            return Optional.of(Duration.ofNanos(price - bucket.nanos));
        }
        bucket.nanos -= price;
        return Optional.empty();
    }
}
