package io.boxd.ssh;

import java.time.Duration;

/** How much a client may have and how long it may take, in one place. */
final class SshLimits {
    /** From the first byte until somebody has shown a key. */
    static final Duration LOGIN = Duration.ofSeconds(20);

    /** Connections of which nobody has shown a key yet, from everywhere and from one source. */
    static final int STRANGERS = 200;

    static final int STRANGERS_OF_A_SOURCE = 20;

    /** Connections in all. */
    static final int CONNECTIONS = 2000;

    /** Failures of a source that are nobody's fault. */
    static final int FREE_FAILURES = 10;

    static final Duration FIRST_PENALTY = Duration.ofSeconds(1);
    static final Duration LONGEST_PENALTY = Duration.ofMinutes(5);
    /** After so long without a failure, all is forgotten. */
    static final Duration FORGET_AFTER = Duration.ofMinutes(15);

    static final int SOURCES_REMEMBERED = 10_000;

    static final int KEY_OFFERS = 40;
    static final int CHANNELS = 64;
    static final long WINDOW_BYTES = 1 << 20;
    static final long PACKET_BYTES = 32 * 1024;

    /** Variables that a client may set, and how long each may be. */
    static final int VARIABLES = 64;

    static final int VARIABLE_CHARS = 4096;
    static final int COMMAND_CHARS = 128 * 1024;
    static final int SIGNALS_WAITING = 64;

    /** A slow reader may take its time; keepalives tell whether it is there at all. */
    static final Duration SLOWEST_READER = Duration.ofDays(30);

    /** A connection from inside a box. */
    static final Duration DIALLING = Duration.ofSeconds(30);

    static final Duration HEARTBEAT = Duration.ofSeconds(60);
    static final int HEARTBEATS_UNANSWERED = 3;
    static final Duration CLOSING = Duration.ofSeconds(5);

    private SshLimits() {}
}
