package io.boxd.ledger;

import java.time.Duration;

/**
 * How much of the log stays in memory, where nobody asks for it again.
 *
 * @param segmentBytes how large a file of the log becomes; what is in the one that is written to is in memory, too
 * @param finishedSegments how many files before that one are in memory
 * @param answers how long it is known what was answered to a command, for a member that asks again
 */
public record LogMemory(long segmentBytes, int finishedSegments, Duration answers) {
    /** Entries are applied as they come, and a command is handed over inside this process, once. */
    public static LogMemory least() {
        return new LogMemory(512L << 10, 0, Duration.ofSeconds(1));
    }
}
