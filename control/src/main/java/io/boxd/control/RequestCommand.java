package io.boxd.control;

import io.boxd.worker.RequestKey;
import java.time.Instant;

/**
 * A step of a request that may be repeated.
 *
 * @param made the id of what it is to make, unless the same request was begun before
 * @param at when this was said; applying looks at no clock
 */
record RequestCommand(Step step, RequestKey key, String made, Instant at) {
    /** How far it is. The names are in logs that later versions read. */
    enum Step {
        BEGIN,
        FINISH
    }

    static RequestCommand begin(RequestKey key, String made, Instant at) {
        return new RequestCommand(Step.BEGIN, key, made, at);
    }

    static RequestCommand finish(RequestRow row, Instant at) {
        return new RequestCommand(Step.FINISH, row.key(), row.made(), at);
    }
}
