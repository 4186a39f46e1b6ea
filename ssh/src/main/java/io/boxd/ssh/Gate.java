package io.boxd.ssh;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many connections there may be, and from whom none is taken for a while.
 *
 * <p>Connections of which nobody has shown a key yet are few in all and few of a source. A source that fails more often
 * than people do has to stay away for a time, which doubles with each further failure.
 */
final class Gate {
    private static final class Failures {
        int count;
        Instant last = Instant.EPOCH;
        Instant until = Instant.EPOCH;
    }

    private final InstantSource clock;
    private final Map<Source, Integer> strangers = new HashMap<>();
    /** Those that failed longest ago first, so that these are forgotten first. */
    private final Map<Source, Failures> failures = new LinkedHashMap<>();

    private int strangersInAll;
    private int connections;

    Gate(InstantSource clock) {
        this.clock = clock;
    }

    /** A connection that was let in; told when somebody has shown a key, and when it is over. */
    final class Pass {
        private final Source source;
        private boolean known;
        private boolean over;

        private Pass(Source source) {
            this.source = source;
        }

        /** Somebody has signed. */
        void known() {
            synchronized (Gate.this) {
                if (!known && !over) {
                    known = true;
                    leaveStrangers(source);
                }
            }
        }

        /** The connection has ended; without a key, that is a failure. */
        void over() {
            synchronized (Gate.this) {
                if (!over) {
                    over = true;
                    connections--;
                    if (!known) {
                        leaveStrangers(source);
                        fail(source);
                    }
                }
            }
        }
    }

    /** A pass for another connection; null if it is one too many. */
    synchronized @Nullable Pass admit(Source source) {
        Failures known = failures.get(source);
        if (known != null && clock.instant().isBefore(known.until)) {
            return null;
        }
        if (connections >= SshLimits.CONNECTIONS
                || strangersInAll >= SshLimits.STRANGERS
                || strangers.getOrDefault(source, 0) >= SshLimits.STRANGERS_OF_A_SOURCE) {
            return null;
        }
        connections++;
        strangersInAll++;
        strangers.merge(source, 1, Integer::sum);
        return new Pass(source);
    }

    private void leaveStrangers(Source source) {
        strangersInAll--;
        strangers.computeIfPresent(source, (_, count) -> count > 1 ? count - 1 : null);
    }

    private void fail(Source source) {
        Instant now = clock.instant();
        Failures before = failures.remove(source);
        Failures known =
                before == null || before.last.plus(SshLimits.FORGET_AFTER).isBefore(now) ? new Failures() : before;
        known.count++;
        known.last = now;
        int beyond = known.count - SshLimits.FREE_FAILURES;
        if (beyond > 0) {
            known.until = now.plus(penalty(beyond));
        }
        failures.put(source, known);
        if (failures.size() > SshLimits.SOURCES_REMEMBERED) {
            failures.remove(failures.keySet().iterator().next());
        }
    }

    /** For the first failure too many, the second, and so on. */
    static Duration penalty(int beyond) {
        int doublings = Math.min(beyond - 1, 30);
        Duration penalty = SshLimits.FIRST_PENALTY.multipliedBy(1L << doublings);
        return penalty.compareTo(SshLimits.LONGEST_PENALTY) > 0 ? SshLimits.LONGEST_PENALTY : penalty;
    }

    /** Connections that there are now. */
    synchronized int connections() {
        return connections;
    }
}
