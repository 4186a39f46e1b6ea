package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.FreeSpace;
import java.nio.file.Path;

/** Refuses what would not fit, before anything of it is written, and leaves a rest for the record. */
final class Room {
    private static final long RESERVE_BYTES = 64L << 20;
    private static final long RESERVE_INODES = 256;

    private final Path home;
    private final Runnable evict;
    private final boolean refuses;

    /**
     * @param evict gives up what can be made again
     * @param refuses false only to show what happens then
     */
    Room(Path home, Runnable evict, boolean refuses) {
        this.home = home;
        this.evict = evict;
        this.refuses = refuses;
    }

    void require(long bytes, String what) {
        if (!fits(bytes)) {
            evict.run();
        }
        if (refuses && !fits(bytes)) {
            FreeSpace free = FreeSpace.of(home);
            throw new BoxdException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "no room for " + what + ": it needs " + (bytes >> 20) + " MiB, and " + home + " has "
                            + (free.bytes() >> 20) + " MiB and " + free.inodes() + " inodes left, of which "
                            + (RESERVE_BYTES >> 20) + " MiB and " + RESERVE_INODES + " are kept in reserve",
                    "Free some space, or delete snapshots and boxes that are no longer needed.",
                    null);
        }
    }

    private boolean fits(long bytes) {
        FreeSpace free = FreeSpace.of(home);
        return free.bytes() >= bytes + RESERVE_BYTES && free.inodes() >= RESERVE_INODES;
    }
}
