package io.boxd.checks.wrong.vmm;

import io.boxd.checks.wrong.common.Upwards;

/** Its package is not null-marked. */
public interface Engine {
    Upwards up();
}
