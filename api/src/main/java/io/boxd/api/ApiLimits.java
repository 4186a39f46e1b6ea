package io.boxd.api;

import java.time.Duration;

/** How much a client may ask for, in one place. */
final class ApiLimits {
    static final int BODY_BYTES = 1 << 20;

    /** Bytes of a stream that do not move for so long end it; its client may have stopped to read. */
    static final Duration STALL = Duration.ofMinutes(5);

    /** Within this a socket's client must have said what it wants. */
    static final Duration START = Duration.ofSeconds(30);

    /** A quiet socket is asked this often whether its client is still there. */
    static final Duration PING = Duration.ofSeconds(30);

    /** Content of one binary message. */
    static final int MESSAGE_BYTES = 32 << 10;

    /** Input that a client may be ahead of its command. */
    static final int INPUT_WINDOW_BYTES = 256 << 10;

    private ApiLimits() {}
}
