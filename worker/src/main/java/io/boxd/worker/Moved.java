package io.boxd.worker;

import java.time.Duration;

/**
 * A box after a move.
 *
 * @param changed false if it was so already
 * @param took how long the move itself took
 */
public record Moved(Box box, boolean changed, Duration took) {}
