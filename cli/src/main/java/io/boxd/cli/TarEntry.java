package io.boxd.cli;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The head of one thing in an archive.
 *
 * @param size bytes of content that follow in the archive
 * @param mode the nine bits of permissions
 * @param sparseSize the length of the file if its content has holes, as GNU's format 1.0 says it; else null
 */
record TarEntry(
        String name,
        Kind kind,
        long size,
        int mode,
        Instant modified,
        String link,
        @Nullable Long sparseSize) {
    static final int BLOCK_BYTES = 512;
    static final int PERMISSIONS = 0777;

    /** What it is. */
    enum Kind {
        FILE,
        HARD_LINK,
        LINK,
        FOLDER,
        /** Devices and the like. */
        OTHER
    }

    /** How many zeros follow so many bytes. */
    static int padding(long bytes) {
        return (int) ((BLOCK_BYTES - bytes % BLOCK_BYTES) % BLOCK_BYTES);
    }
}
