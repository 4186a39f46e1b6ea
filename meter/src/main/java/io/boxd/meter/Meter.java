package io.boxd.meter;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What lies between two readings of a box; a pure function.
 *
 * <p>Times are cut at full hours. What was only counted belongs to the hour in which it was read.
 */
public final class Meter {
    private static final int MEBIBYTE_BITS = 20;

    private Meter() {}

    /**
     * Where the meter stands after a reading, and what has come to be used.
     *
     * @param used by the hours in which it was, which begin at these times
     */
    public record Step(MeterState after, SortedMap<Instant, Consumption> used) {}

    public static Step step(Optional<MeterState> before, Reading reading) {
        // A clock that was put back makes no time that was there already.
        Instant at = before.map(MeterState::at)
                .filter(then -> then.isAfter(reading.at()))
                .orElse(reading.at());
        SortedMap<Instant, Consumption> used = new TreeMap<>();
        before.ifPresent(state -> addTime(used, state, at, reading.ran()));
        Optional<Counters> known = before.flatMap(MeterState::counters);
        Optional<Counters> taken = reading.counters().map(seen -> furthest(known, seen));
        taken.ifPresent(now -> add(used, hourOf(at), difference(known, now)));
        MeterState after = new MeterState(
                reading.box(),
                reading.owner(),
                reading.organisation(),
                at,
                reading.awake(),
                taken.or(() -> known),
                mebibytes(reading.memoryBytes()),
                mebibytes(reading.diskBytes()));
        return new Step(after, used);
    }

    private static long mebibytes(long bytes) {
        return bytes >> MEBIBYTE_BITS;
    }

    private static Instant hourOf(Instant at) {
        return at.truncatedTo(ChronoUnit.HOURS);
    }

    private static void add(SortedMap<Instant, Consumption> used, Instant hour, Consumption more) {
        if (!more.isNothing()) {
            used.merge(hour, more, Consumption::plus);
        }
    }

    private static void addTime(SortedMap<Instant, Consumption> used, MeterState state, Instant until, boolean ran) {
        Instant from = state.at();
        while (from.isBefore(until)) {
            Instant hour = hourOf(from);
            Instant next = hour.plus(1, ChronoUnit.HOURS);
            Instant end = next.isBefore(until) ? next : until;
            long millis = millis(end) - millis(from);
            add(
                    used,
                    hour,
                    new Consumption(
                            0, ran ? state.memoryMebibytes() * millis : 0, state.diskMebibytes() * millis, 0, 0));
            from = end;
        }
    }

    /** Of moments, not of the times between them, whose parts of milliseconds would be lost each time. */
    private static long millis(Instant at) {
        return Duration.between(Instant.EPOCH, at).toMillis();
    }

    /** Counters of one machine never go back; a reading that did was of something that was just ending. */
    private static Counters furthest(Optional<Counters> known, Counters seen) {
        return known.filter(last -> last.epoch().equals(seen.epoch()))
                .map(last -> new Counters(
                        seen.epoch(),
                        Math.max(last.cpuNanos(), seen.cpuNanos()),
                        Math.max(last.receivedBytes(), seen.receivedBytes()),
                        Math.max(last.sentBytes(), seen.sentBytes())))
                .orElse(seen);
    }

    private static Consumption difference(Optional<Counters> known, Counters now) {
        Counters last = known.filter(one -> one.epoch().equals(now.epoch())).orElse(new Counters(now.epoch(), 0, 0, 0));
        return new Consumption(
                now.cpuNanos() - last.cpuNanos(),
                0,
                0,
                now.receivedBytes() - last.receivedBytes(),
                now.sentBytes() - last.sentBytes());
    }
}
