package io.boxd.checks.wrong.vmm;

import tools.jackson.databind.json.JsonMapper;

/** A second JSON mapper. */
record OwnMapper(JsonMapper mapper) {}
