package io.boxd.chronicle;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A webhook as others see it: everything but its secret.
 *
 * @param kinds of events; none: all
 * @param cursor the number of the last event that it was told of
 * @param attempts at the event that is being delivered; 0 if none is waiting
 * @param failure why the last attempt failed
 * @param nextAttempt when that is tried again
 * @param dead how many events were given up
 */
public record WebhookView(
        String id,
        String url,
        List<String> kinds,
        Instant createdAt,
        long cursor,
        int attempts,
        Optional<String> failure,
        Optional<Instant> nextAttempt,
        int dead) {}
