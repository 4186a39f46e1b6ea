package io.boxd.vmm;

import io.boxd.linux.PageBuffer;
import io.boxd.linux.PageRuns;
import java.util.List;

/** One instant of a machine, in memory or on disk, that any number of machines can be started from. */
interface Instant {
    /** What the pages are relative to. */
    Base base();

    /** Where the pages belong, one run behind the other in {@link #pages}. */
    PageRuns runs();

    PageBuffer pages();

    byte[] deviceState();

    /** Below the new machines' tops, lowest first. */
    List<Layer> layers();
}
