package io.boxd.ledger;

import io.boxd.trust.Authority;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/**
 * Where a ledger is and how it keeps itself small.
 *
 * @param folder everything of it is in there
 * @param authority of those who may write to the log from outside
 * @param address where other members reach it; port 0: any that is free
 * @param snapshotEntries after so many entries the state is kept anew
 * @param snapshotBytes or after so many bytes of them
 * @param memory how much of the log is in memory
 */
public record LedgerConfig(
        Path folder,
        Authority authority,
        InetSocketAddress address,
        int snapshotEntries,
        long snapshotBytes,
        LogMemory memory) {
    private static final int ENTRIES = 4096;
    private static final long BYTES = 8L << 20;

    /** On this host only. */
    public static LedgerConfig local(Path folder, Authority authority) {
        InetSocketAddress address = new InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0);
        return new LedgerConfig(folder, authority, address, ENTRIES, BYTES, LogMemory.least());
    }

    LedgerConfig withSnapshotEntries(int entries) {
        return new LedgerConfig(folder, authority, address, entries, snapshotBytes, memory);
    }

    LedgerConfig withMemory(LogMemory other) {
        return new LedgerConfig(folder, authority, address, snapshotEntries, snapshotBytes, other);
    }

    Path database() {
        return folder.resolve("state.db");
    }

    LogFolder log() {
        return new LogFolder(folder.resolve("log"));
    }

    Snapshots snapshots() {
        return new Snapshots(folder.resolve("snapshots"));
    }
}
