package io.boxd.control;

import io.boxd.worker.RequestKey;
import java.time.Instant;

/**
 * A request that may be repeated, and what it makes.
 *
 * @param made the id of what it makes, chosen before that is made
 * @param done whether it was made, so that whoever does not find it knows that it is gone
 */
record RequestRow(RequestKey key, String made, boolean done, Instant at) {
    RequestRow finished() {
        return new RequestRow(key, made, true, at);
    }

    boolean isForgottenAt(Instant now) {
        return at.plus(RequestKey.REMEMBERED).isBefore(now);
    }
}
