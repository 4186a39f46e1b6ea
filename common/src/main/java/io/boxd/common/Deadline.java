package io.boxd.common;

import java.time.Duration;

/**
 * The moment by which something must have ended, on the monotonic clock.
 *
 * <p>A deadline is handed down through calls, so that a chain of waits together keeps the promise
 * that the outermost caller was given.
 */
public final class Deadline {
    private final long endNanos;
    private final Duration allowed;

    private Deadline(Duration allowed) {
        this.allowed = allowed;
        this.endNanos = System.nanoTime() + allowed.toNanos();
    }

    public static Deadline in(Duration allowed) {
        return new Deadline(allowed);
    }

    public static Deadline inMillis(long millis) {
        return new Deadline(Duration.ofMillis(millis));
    }

    public static Deadline inSeconds(long seconds) {
        return new Deadline(Duration.ofSeconds(seconds));
    }

    /** Time left, never negative. */
    public Duration left() {
        return Duration.ofNanos(leftNanos());
    }

    public long leftNanos() {
        return Math.max(0, endNanos - System.nanoTime());
    }

    /** Time left in milliseconds, rounded up so that a wait of zero means that it is really over. */
    public long leftMillis() {
        return (leftNanos() + 999_999) / 1_000_000;
    }

    public boolean passed() {
        return leftNanos() == 0;
    }

    /** Whichever of the two ends first. */
    public Deadline orSooner(Duration other) {
        return other.toNanos() < leftNanos() ? in(other) : this;
    }

    /** The error for a wait that this deadline ended. */
    public BoxdException exceeded(String what) {
        return new BoxdException(ErrorCode.TIMEOUT, what + " did not finish within " + allowed.toMillis() + " ms");
    }
}
