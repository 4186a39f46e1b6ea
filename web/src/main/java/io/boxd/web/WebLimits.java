package io.boxd.web;

import java.time.Duration;

/** What a client may take before any door is asked, in one place. */
final class WebLimits {
    static final int HEADER_BYTES = 32 << 10;
    static final int CONNECTIONS = 4096;
    static final int BACKLOG = 1024;
    static final int STREAMS_PER_CONNECTION = 128;

    /** Of HTTP/2: resets, pings, settings and empty frames that a client may send in a second. */
    static final int FRAMES_OF_CONTROL_PER_SECOND = 200;

    /** What a client may send ahead on one stream of HTTP/2, and on all of a connection. */
    static final int STREAM_WINDOW_BYTES = 512 << 10;

    static final int CONNECTION_WINDOW_BYTES = 2 << 20;

    /** Bytes of a request or an answer that do not move for so long end the connection. */
    static final Duration STALL = Duration.ofMinutes(1);

    /** Within this the head of a request must have come as a whole. */
    static final Duration HEAD = Duration.ofSeconds(20);

    private WebLimits() {}
}
