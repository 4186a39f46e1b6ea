package io.boxd.worker;

import java.time.Duration;
import java.time.Instant;

/**
 * What one source says about a box being used.
 *
 * @param active whether it keeps the box awake now
 * @param last when it last did
 */
record Signal(Why.Kind kind, boolean active, String detail, Instant last) {
    static Signal active(Why.Kind kind, String detail, Instant now) {
        return new Signal(kind, true, detail, now);
    }

    static Signal quiet(Why.Kind kind, String detail, Instant last) {
        return new Signal(kind, false, detail, last);
    }

    /** Active if it was when it was looked at. */
    static Signal since(Why.Kind kind, Instant last, Instant looked, String detail) {
        return new Signal(kind, !last.isBefore(looked), detail, last);
    }

    Why.Source source(Instant now) {
        Duration quiet = Duration.between(last, now);
        return new Why.Source(kind, active, detail, active || quiet.isNegative() ? Duration.ZERO : quiet);
    }
}
