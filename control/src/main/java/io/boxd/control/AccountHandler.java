package io.boxd.control;

import io.boxd.accounts.Principal;
import tools.jackson.databind.JsonNode;

/** Does what one verb about accounts says, for whoever says it. */
@FunctionalInterface
interface AccountHandler {
    JsonNode answer(Principal who, Parameters said);
}
