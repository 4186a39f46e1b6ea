package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Remembers for as long as the process lives: for trials, whose machines nobody will look for again. */
public final class TransientRecord implements EngineRecord {
    private Map<String, MachineRow> machines = new LinkedHashMap<>();
    private Map<String, SnapshotRow> snapshots = new LinkedHashMap<>();

    @Override
    public synchronized Rows rows() {
        return new Rows(new ArrayList<>(machines.values()), new ArrayList<>(snapshots.values()));
    }

    @Override
    public synchronized void apply(List<RecordChange> changes) {
        Map<String, MachineRow> nextMachines = new LinkedHashMap<>(machines);
        Map<String, SnapshotRow> nextSnapshots = new LinkedHashMap<>(snapshots);
        for (RecordChange change : changes) {
            switch (change) {
                case RecordChange.MachineStarted(MachineRow row) -> {
                    refuseTwin(row, nextMachines);
                    nextMachines.put(row.id(), row);
                }
                case RecordChange.MachineChanged(MachineRow row) -> nextMachines.replace(row.id(), row);
                case RecordChange.MachineEnded(String id) -> nextMachines.remove(id);
                case RecordChange.SnapshotKept(SnapshotRow row) -> nextSnapshots.put(row.id(), row);
                case RecordChange.SnapshotForgotten(String id) -> nextSnapshots.remove(id);
            }
        }
        machines = nextMachines;
        snapshots = nextSnapshots;
    }

    private static void refuseTwin(MachineRow started, Map<String, MachineRow> machines) {
        for (MachineRow row : machines.values()) {
            if (row.identity().machineId().equals(started.identity().machineId())) {
                throw new BoxdException(
                        ErrorCode.WRONG_STATE, "machine " + started.identity().hostname() + " runs already");
            }
        }
    }
}
