package io.boxd.control;

import io.boxd.accounts.Principal;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import io.boxd.worker.RequestKey;
import java.util.Optional;

/**
 * One thing that somebody wants.
 *
 * @param boxes as they have them for this; those of others are not there
 * @param said what they said with it
 */
record Asked(Principal who, Boxes boxes, Parameters said) {
    /** By which it is known again when it is repeated. */
    Optional<RequestKey> key() {
        return said.key();
    }

    /** The box that it is about. */
    Box box() {
        return boxes.find(said.required("box"));
    }
}
