package io.boxd.vmm;

import java.util.List;

/**
 * What an instance must remember of its machines and snapshots, whatever ends its server.
 *
 * <p>The engine tells every change before anybody can rely on it, and starts from what is written here.
 * Everything on disk that no row refers to is swept.
 */
public interface EngineRecord {
    /** All rows, as the last change left them. */
    Rows rows();

    /** Makes all of the changes or none; they last when this returns. */
    void apply(List<RecordChange> changes);

    /** Everything that is remembered. */
    record Rows(List<MachineRow> machines, List<SnapshotRow> snapshots) {
        public Rows {
            machines = List.copyOf(machines);
            snapshots = List.copyOf(snapshots);
        }
    }
}
