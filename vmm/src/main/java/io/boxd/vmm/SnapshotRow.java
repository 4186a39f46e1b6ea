package io.boxd.vmm;

import java.util.List;

/**
 * What must be remembered of a snapshot: that it exists, and what it keeps alive.
 *
 * @param identity the machine's at that instant
 * @param base that its memory is relative to
 * @param layers of its disk, lowest first
 */
public record SnapshotRow(String id, Identity identity, String base, List<String> layers) {
    public SnapshotRow {
        layers = List.copyOf(layers);
    }
}
