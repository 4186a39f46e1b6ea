package io.boxd.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Why a box is awake, or asleep.
 *
 * @param since when it got its status
 * @param because what put it there, for people
 * @param sources what was looked at, the one that counts first
 * @param sleepsIn when it goes a step further to sleep if nothing happens
 */
public record Why(Box box, Instant since, String because, List<Source> sources, Optional<Duration> sleepsIn) {
    public Why {
        sources = List.copyOf(sources);
    }

    /** Something that may keep a box awake. */
    public enum Kind {
        HOLDS,
        COMMANDS,
        PROCESSORS,
        RECEIVED,
        SENT,
        LEASES
    }

    /**
     * One of them.
     *
     * @param active whether it keeps the box awake now
     * @param detail which ones, for people
     * @param quiet how long it has been quiet; zero while active
     */
    public record Source(Kind kind, boolean active, String detail, Duration quiet) {}
}
