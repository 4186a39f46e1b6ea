package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;

/**
 * Bounds of a pool; between them it follows demand.
 *
 * @param minHusks kept even when nobody asks
 * @param maxHusks never more than this
 * @param warm machines kept loaded and paused, ready for {@code new}
 */
public record PoolSize(int minHusks, int maxHusks, int warm) {
    private static final int LIMIT = 256;

    public PoolSize {
        if (minHusks < 0 || maxHusks < minHusks || warm < 0 || maxHusks + warm > LIMIT) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT, "a pool keeps 0 to " + LIMIT + " cells, the least first");
        }
    }
}
