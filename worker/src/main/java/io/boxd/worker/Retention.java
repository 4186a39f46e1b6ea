package io.boxd.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which automatic snapshots of a box are kept: the older, the fewer.
 *
 * <p>All of the last hour, then one for each hour of a day, then one for each day of a week, and never more
 * than a number. A pure function.
 */
final class Retention {
    private static final Duration ALL = Duration.ofHours(1);
    private static final Duration HOURLY = Duration.ofDays(1);
    private static final Duration DAILY = Duration.ofDays(7);

    private Retention() {}

    /**
     * Those that are not kept any more.
     *
     * @param taken times, the oldest first
     */
    static List<Instant> expired(List<Instant> taken, int most, Instant now) {
        List<Instant> kept = new ArrayList<>();
        Set<Long> hours = new HashSet<>();
        Set<Long> days = new HashSet<>();
        // The first of each hour and day stays, so that what is kept today is kept tomorrow, too.
        for (Instant time : taken) {
            Duration age = Duration.between(time, now);
            boolean keep;
            if (age.compareTo(ALL) <= 0) {
                keep = true;
            } else if (age.compareTo(HOURLY) <= 0) {
                keep = hours.add(time.getEpochSecond() / ALL.toSeconds());
            } else {
                keep = age.compareTo(DAILY) <= 0 && days.add(time.getEpochSecond() / HOURLY.toSeconds());
            }
            if (keep) {
                kept.add(time);
            }
        }
        List<Instant> staying = kept.subList(Math.max(0, kept.size() - most), kept.size());
        return taken.stream().filter(time -> !staying.contains(time)).toList();
    }
}
