package io.boxd.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * When a box is idle: nobody uses it, and nothing has for its idle time.
 *
 * <p>A pure function. If it is too early it says when to look again, so that nobody looks more often.
 */
final class IdleRule {
    private IdleRule() {}

    /** What is to be done. */
    sealed interface Verdict {
        /** It may go to sleep. */
        record Sleep() implements Verdict {}

        /** Not yet; look again after this time. */
        record Wait(Duration time) implements Verdict {}

        /** Never: it has no idle time. */
        record Never() implements Verdict {}
    }

    static Verdict judge(List<Signal> signals, Instant touched, Duration idleAfter, Instant now) {
        if (idleAfter.isZero()) {
            return new Verdict.Never();
        }
        // What is only counted is noticed late: looking twice in an idle time keeps the error below half of it.
        Duration half = idleAfter.dividedBy(2);
        if (signals.stream().anyMatch(Signal::active)) {
            return new Verdict.Wait(half);
        }
        Instant last = signals.stream()
                .map(Signal::last)
                .max(Comparator.naturalOrder())
                .orElse(touched);
        Instant quietSince = last.isAfter(touched) ? last : touched;
        Duration left = idleAfter.minus(Duration.between(quietSince, now));
        return left.isPositive() ? new Verdict.Wait(left) : new Verdict.Sleep();
    }

    /** The sources, the one that counts first: those that are active, then the one that was last. */
    static List<Why.Source> sources(List<Signal> signals, Instant now) {
        return signals.stream()
                .sorted(Comparator.comparing((Signal signal) -> signal.active())
                        .thenComparing(Signal::last)
                        .reversed())
                .map(signal -> signal.source(now))
                .toList();
    }
}
