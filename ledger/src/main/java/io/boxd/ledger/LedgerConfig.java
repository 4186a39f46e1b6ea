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
 */
public record LedgerConfig(
        Path folder, Authority authority, InetSocketAddress address, int snapshotEntries, long snapshotBytes) {
    private static final int ENTRIES = 4096;
    private static final long BYTES = 8L << 20;

    /** On this host only. */
    public static LedgerConfig local(Path folder, Authority authority) {
        return new LedgerConfig(
                folder, authority, new InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0), ENTRIES, BYTES);
    }

    LedgerConfig withSnapshotEntries(int entries) {
        return new LedgerConfig(folder, authority, address, entries, snapshotBytes);
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
