package io.boxd.control;

import tools.jackson.databind.JsonNode;

/** Does what one verb says. */
@FunctionalInterface
interface Handler {
    JsonNode answer(Parameters parameters);
}
