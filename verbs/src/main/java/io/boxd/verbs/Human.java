package io.boxd.verbs;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Sizes and times as people read them. */
final class Human {
    static final String NOTHING = "-";
    private static final String[] UNITS = {"B", "K", "M", "G", "T", "P"};

    private Human() {}

    /** {@code 512M}, {@code 1.5G}; at most five characters. */
    static String size(@Nullable Long bytes) {
        if (bytes == null) {
            return NOTHING;
        }
        double left = bytes;
        int unit = 0;
        while (left >= 1024 && unit < UNITS.length - 1) {
            left /= 1024;
            unit++;
        }
        // By hand: Java's formatter takes longer to get ready than the whole answer.
        long tenths = Math.round(left * 10);
        boolean whole = left >= 10 || tenths % 10 == 0;
        return (whole ? Long.toString(Math.round(left)) : tenths / 10 + "." + tenths % 10) + UNITS[unit];
    }

    /** The one or two largest units: {@code 45s}, {@code 3m}, {@code 2h 5m}, {@code 4d 2h}. */
    static String duration(long seconds) {
        if (seconds < 60) {
            return Math.max(0, seconds) + "s";
        }
        if (seconds < 3600) {
            return pair(seconds / 60, "m", seconds % 60, "s", seconds < 600);
        }
        return seconds < 86_400
                ? pair(seconds / 3600, "h", seconds % 3600 / 60, "m", true)
                : pair(seconds / 86_400, "d", seconds % 86_400 / 3600, "h", seconds < 10 * 86_400);
    }

    private static String pair(long large, String largeUnit, long small, String smallUnit, boolean both) {
        return both && small > 0 ? large + largeUnit + " " + small + smallUnit : large + largeUnit;
    }

    static String millis(@Nullable Long millis) {
        if (millis == null) {
            return NOTHING;
        }
        return millis < 10_000 ? millis + " ms" : duration(millis / 1000);
    }

    static String micros(@Nullable Long micros) {
        if (micros == null) {
            return NOTHING;
        }
        return micros < 10_000 ? micros + " µs" : millis(micros / 1000);
    }

    /** {@code 3m ago}. */
    static String ago(@Nullable Instant then, Instant now) {
        if (then == null) {
            return NOTHING;
        }
        long seconds = Duration.between(then, now).toSeconds();
        return seconds < 1 ? "just now" : duration(seconds) + " ago";
    }

    /** {@code in 3m}. */
    static String until(@Nullable Instant then, Instant now) {
        return then == null
                ? NOTHING
                : "in " + duration(Duration.between(now, then).toSeconds());
    }

    /** A time of sleep settings: 0 is never. */
    static String orNever(@Nullable Long seconds) {
        return seconds == null || seconds == 0 ? "never" : "after " + duration(seconds);
    }
}
