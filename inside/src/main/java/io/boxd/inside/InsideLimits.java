package io.boxd.inside;

import java.time.Duration;

/** How much may be under way between doors and control, and how long anything may take, in one place. */
final class InsideLimits {
    /** Content of one frame. */
    static final int FRAME_BYTES = 32 << 10;

    /** What a frame weighs besides its content, so that empty ones are not free. */
    static final int FRAME_WEIGHT = 64;

    /** What one side of a conversation may send before the other has taken it. */
    static final int WINDOW_BYTES = 128 << 10;

    /** Conversations of one door at a time. */
    static final int CONVERSATIONS = 2048;

    /** Doors at a time. */
    static final int DOORS = 8;

    /** Of what a door asks for; content comes beside it. */
    static final int REQUEST_BYTES = 2 << 20;

    /** Of all requests of a door that are not complete yet. */
    static final int REQUESTS_BYTES = 64 << 20;

    /** Of one answer: a command's whole output, each byte written out, and that twice. */
    static final int ANSWER_BYTES = 256 << 20;

    /** Of a failure. */
    static final int FAILURE_BYTES = FRAME_BYTES;

    static final int HEADER_BYTES = 8 << 10;

    /** Both sides say so often that they are there. */
    static final Duration ALIVE = Duration.ofSeconds(5);

    /** Who has not been heard for so long is gone. */
    static final Duration SILENCE = Duration.ofSeconds(30);

    /** A frame leaves within this, or nobody reads at the other end. */
    static final Duration SENDING = Duration.ofSeconds(30);

    static final Duration CONNECTING = Duration.ofSeconds(3);

    /** After a failure to connect, everybody is told the same for so long, at once. */
    static final Duration FAILED = Duration.ofMillis(200);

    /** A door's request is complete within this. */
    static final Duration REQUEST = Duration.ofSeconds(30);

    /** How often an open stream looks up from its waiting. */
    static final Duration LOOK = Duration.ofSeconds(30);

    /** Nothing takes longer; that the other side is gone is noticed long before. */
    static final Duration LONGEST = Duration.ofHours(25);

    private InsideLimits() {}
}
