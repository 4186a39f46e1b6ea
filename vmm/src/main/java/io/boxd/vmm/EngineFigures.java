package io.boxd.vmm;

import io.boxd.common.Deadline;
import io.boxd.linux.PageBuffer;
import io.boxd.linux.PageRuns;
import java.time.Duration;

/** Times single parts of the engine, as yardsticks for what is built of them. */
public final class EngineFigures {
    private final HuskPools pools;
    private final MemoryCopier copier;

    EngineFigures(HuskPools pools, MemoryCopier copier) {
        this.pools = pools;
        this.copier = copier;
    }

    /** Making one husk: jail, process, monitor answering. */
    public Duration spawn(Base base, Deadline deadline) {
        long start = System.nanoTime();
        try (Husk husk = pools.takeHusk(base, deadline)) {
            assert husk.usable();
            return Duration.ofNanos(System.nanoTime() - start);
        }
    }

    /** Writing so many bytes into a husk's untouched memory. */
    public Duration inject(Base base, long bytes, Deadline deadline) {
        PageRuns.Builder run = new PageRuns.Builder();
        run.add(0, bytes);
        try (Husk husk = pools.takeHusk(base, deadline);
                PageBuffer pages = PageBuffer.allocate(bytes)) {
            husk.cell().memory();
            long start = System.nanoTime();
            husk.inject(run.build(), pages, copier);
            return Duration.ofNanos(System.nanoTime() - start);
        }
    }

    /** Copying so many bytes from memory to memory, both there already, with one thread. */
    public Duration copy(long bytes) {
        try (PageBuffer from = PageBuffer.allocate(bytes);
                PageBuffer to = PageBuffer.allocate(bytes)) {
            long start = System.nanoTime();
            from.copyTo(to);
            return Duration.ofNanos(System.nanoTime() - start);
        }
    }
}
