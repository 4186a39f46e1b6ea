package io.boxd.proxy;

import java.time.Duration;

/** How long boxes and visitors may take, and how much they may say, in one place. */
final class ProxyLimits {
    /** The head of an answer, and its trailers. */
    static final int HEAD_BYTES = 64 << 10;

    static final int FIELDS = 256;
    static final int BUFFER_BYTES = 32 << 10;

    /** Heads that come before the answer itself, such as 103. */
    static final int INTERIM_ANSWERS = 16;

    /** A connection to something in a box that is awake. */
    static final Duration CONNECT = Duration.ofSeconds(10);

    /** How long a visitor's program waits for leave to send its body before it is asked for it anyway. */
    static final Duration LEAVE = Duration.ofSeconds(1);

    /** Nothing moves, in either direction, before the answer begins. */
    static final Duration ANSWER = Duration.ofMinutes(5);

    /** The same once it has begun; events may be rare. */
    static final Duration STREAM = Duration.ofHours(1);

    /** The same for connections that have changed to another protocol. */
    static final Duration TUNNEL = Duration.ofHours(24);

    /** How often it is looked whether something has stood still for too long. */
    static final Duration LOOK = Duration.ofSeconds(20);

    /** A connection to a box that nobody uses is kept so long for the next request. */
    static final Duration SPARE = Duration.ofSeconds(20);

    static final int SPARES_PER_PORT = 32;
    static final int SPARES = 1024;

    private ProxyLimits() {}
}
