package io.boxd.checks.wrong.common;

import io.boxd.checks.wrong.vmm.Engine;

/** The lowest room uses a higher one, which uses it back: upwards, and a cycle. */
public record Upwards(Engine engine) {}
