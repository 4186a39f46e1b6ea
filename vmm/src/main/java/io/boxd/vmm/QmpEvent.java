package io.boxd.vmm;

import tools.jackson.databind.JsonNode;

/** Something QEMU told us unasked. */
record QmpEvent(String name, JsonNode data) {}
