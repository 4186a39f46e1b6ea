package io.boxd.vmm;

import tools.jackson.databind.JsonNode;

/** Something QEMU told us unasked. */
public record QmpEvent(String name, JsonNode data) {}
