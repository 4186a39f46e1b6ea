package io.boxd.chronicle;

import java.time.Instant;

/**
 * An event that a webhook could not be told of.
 *
 * @param failure of the last attempt
 */
public record DeadLetter(String hook, Event event, Instant at, int attempts, String failure) {}
