package io.boxd.worker;

import io.boxd.common.Json;
import io.boxd.vmm.EngineRecord;
import io.boxd.vmm.MachineRow;
import io.boxd.vmm.RecordChange;
import io.boxd.vmm.SnapshotRow;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/** The engine's record in the instance's SQLite file: each change is on disk when it is acknowledged. */
public final class SqliteRecord implements EngineRecord, AutoCloseable {
    private final SqliteStore store;

    private SqliteRecord(SqliteStore store) {
        this.store = store;
    }

    /** Opens the record in this file, or begins one. */
    public static SqliteRecord open(Path file) {
        return new SqliteRecord(SqliteStore.open(file));
    }

    /** Gives the boxes that an earlier boxd kept in this file their present home, and forgets them here. */
    void handOverBoxes(BoxRecord home) {
        if (store.hasBoxes()) {
            EarlierBoxes.read(store).commands().forEach(home::apply);
            store.forgetBoxes();
        }
    }

    @Override
    public Rows rows() {
        return new Rows(
                store.read("SELECT facts FROM machines ORDER BY id", MachineRow.class),
                store.read("SELECT facts FROM snapshots ORDER BY id", SnapshotRow.class));
    }

    @Override
    public void apply(List<RecordChange> changes) {
        store.write("that machine runs already", () -> {
            for (RecordChange change : changes) {
                apply(change);
            }
        });
    }

    private void apply(RecordChange change) throws SQLException {
        switch (change) {
            case RecordChange.MachineStarted(MachineRow row) ->
                store.update(
                        "INSERT INTO machines (id, machine_id, facts) VALUES (?, ?, ?)",
                        row.id(),
                        row.identity().machineId(),
                        Json.write(row));
            case RecordChange.MachineChanged(MachineRow row) ->
                store.update("UPDATE machines SET facts = ? WHERE id = ?", Json.write(row), row.id());
            case RecordChange.MachineEnded(String id) -> store.update("DELETE FROM machines WHERE id = ?", id);
            case RecordChange.SnapshotKept(SnapshotRow row) ->
                store.update(
                        "INSERT INTO snapshots (id, machine_id, facts) VALUES (?, ?, ?)",
                        row.id(),
                        row.identity().machineId(),
                        Json.write(row));
            case RecordChange.SnapshotForgotten(String id) -> store.update("DELETE FROM snapshots WHERE id = ?", id);
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
