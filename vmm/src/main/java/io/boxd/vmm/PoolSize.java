package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.time.Duration;

/**
 * Bounds of a pool; between them it follows demand.
 *
 * @param minHusks kept even when nobody asks
 * @param maxHusks never more than this
 * @param warm machines kept loaded and paused, ready for {@code new}
 * @param shrinkAfter one husk fewer is kept each time that nobody asked for so long
 */
public record PoolSize(int minHusks, int maxHusks, int warm, Duration shrinkAfter) {
    private static final int LIMIT = 256;
    private static final Duration A_MINUTE = Duration.ofMinutes(1);

    public PoolSize {
        if (minHusks < 0 || maxHusks < minHusks || warm < 0 || maxHusks + warm > LIMIT) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT, "a pool keeps 0 to " + LIMIT + " cells, the least first");
        }
    }

    public PoolSize(int minHusks, int maxHusks, int warm) {
        this(minHusks, maxHusks, warm, A_MINUTE);
    }
}
