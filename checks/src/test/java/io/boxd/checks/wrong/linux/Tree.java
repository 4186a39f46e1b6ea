package io.boxd.checks.wrong.linux;

import tools.jackson.databind.JsonNode;

/** A JSON tree in a room whose data have a shape. */
record Tree(JsonNode node) {}
