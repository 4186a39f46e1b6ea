package io.boxd.proxy;

/** How long a body is, and how its end is known. */
sealed interface Framing {
    /** There is none. */
    record None() implements Framing {}

    /** So many bytes. */
    record Length(long bytes) implements Framing {}

    /** Pieces, each with its length before it, and perhaps trailers. */
    record Chunked() implements Framing {}

    /** Everything until the connection ends; answers only. */
    record UntilEnd() implements Framing {}
}
