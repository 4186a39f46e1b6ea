package io.boxd.control;

import io.boxd.accounts.Principal;
import java.util.function.BiFunction;
import tools.jackson.databind.JsonNode;

/** Does what one verb says, for whoever says it. */
@FunctionalInterface
interface Handler {
    JsonNode answer(Asked asked);

    /** For what looks at no boxes. */
    static Handler about(BiFunction<Principal, Parameters, JsonNode> deed) {
        return asked -> deed.apply(asked.who(), asked.said());
    }
}
