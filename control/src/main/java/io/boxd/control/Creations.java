package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.worker.RequestKey;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * Makes things once: a request that is repeated under its key is answered with what it made the first time.
 *
 * <p>Boxes and snapshots do not need this: their keys stand in the very decision that reserves them.
 */
final class Creations {
    private final RequestRecord record;
    private final InstantSource clock;

    /** Requests that are just being answered. */
    private final Set<String> underway = ConcurrentHashMap.newKeySet();

    Creations(RequestRecord record, InstantSource clock) {
        this.record = record;
        this.clock = clock;
    }

    /** Makes something under an id. */
    @FunctionalInterface
    interface Making {
        JsonNode make(Asked asked, String id);
    }

    /** What was made under an id, if it is there; without secrets, which are shown once. */
    @FunctionalInterface
    interface Looking {
        Optional<JsonNode> made(Asked asked, String id);
    }

    /**
     * A verb that makes something in steps, which can be taken up again where a server was killed between them.
     *
     * @param id that it will have
     */
    Handler once(Function<Asked, String> id, Making making, Looking looking) {
        return asked -> asked.key()
                .map(key -> once(asked, key, id.apply(asked), making, looking))
                .orElseGet(() -> making.make(asked, id.apply(asked)));
    }

    private JsonNode once(Asked asked, RequestKey key, String id, Making making, Looking looking) {
        if (!underway.add(key.id())) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE, "the same request is being answered just now", "Repeat it later.", null);
        }
        try {
            RequestRecord.Remembered begun = record.apply(RequestCommand.begin(key, id, clock.instant()));
            RequestRow row = begun.row();
            Optional<JsonNode> made = begun.before() ? looking.made(asked, row.made()) : Optional.empty();
            if (made.isEmpty() && row.done()) {
                throw Failures.notFound("what this request made is not there any more", "Choose a new key.");
            }
            // A server that was killed here has made it or not; either way the next one goes on.
            JsonNode answer = made.orElseGet(() -> making.make(asked, row.made()));
            if (!row.done()) {
                record.apply(RequestCommand.finish(row, clock.instant()));
            }
            return answer;
        } finally {
            underway.remove(key.id());
        }
    }
}
