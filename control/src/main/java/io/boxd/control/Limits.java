package io.boxd.control;

import java.time.Duration;

/** How long things may take and how large they may be, in one place. */
public final class Limits {
    /** A box whose image or base has to be made first. */
    static final Duration CREATION = Duration.ofMinutes(20);

    static final Duration MOVE = Duration.ofMinutes(5);
    static final Duration SNAPSHOT = Duration.ofMinutes(5);

    /** Waking a box, however it sleeps. */
    static final Duration WAKE = Duration.ofMinutes(2);

    /** A box that somebody visits; they see that it takes longer than this. */
    static final Duration VISITOR_WAITS = Duration.ofSeconds(60);

    /** A connection inside a box on which nothing moves, in whichever direction something should. */
    static final Duration SILENCE = Duration.ofHours(24);

    /** A question to a machine's agent. */
    static final Duration QUESTION = Duration.ofSeconds(30);

    /** Unpacking or writing whatever a client sends. */
    static final Duration TRANSFER = Duration.ofHours(24);

    /** How long an interactive stream that is quiet keeps its box awake; the box's own idle time follows. */
    static final Duration QUIET = Duration.ofSeconds(5);

    /** How often a stream whose box sleeps looks whether somebody else has woken it. */
    static final Duration LOOK = Duration.ofMillis(500);

    /** A command whose end somebody waits for without a stream. */
    static final Duration UNWATCHED_COMMAND = Duration.ofHours(1);

    static final int CAPTURED_BYTES = 16 << 20;
    /** Events, or entries of the audit, in one answer. */
    public static final int TOLD_AT_ONCE = 1000;

    public static final int LABELS = 64;
    public static final int LABEL_VALUE_CHARS = 128;
    public static final int VARIABLES = 256;
    static final int VARIABLE_BYTES = 64 << 10;
    public static final int FORKS_AT_ONCE = 256;

    /** Rows, and columns, of a terminal. */
    public static final int TERMINAL_CELLS = 10_000;

    public static final long LONGEST_TIME_SECONDS = Duration.ofDays(3650).toSeconds();

    private Limits() {}
}
