package io.boxd.worker;

import io.boxd.common.Json;
import java.sql.SQLException;
import java.util.List;

/** The record of boxes in the instance's SQLite file; what is in the file is also in memory, to be read at once. */
final class SqliteBoxRecord implements BoxRecord {
    private final SqliteStore store;
    private volatile BoxRows rows;

    private SqliteBoxRecord(SqliteStore store, BoxRows rows) {
        this.store = store;
        this.rows = rows;
    }

    static SqliteBoxRecord load(SqliteStore store) {
        BoxRows rows = BoxRows.of(
                store.read("SELECT facts FROM boxes", BoxRow.class),
                store.read("SELECT facts FROM kept", KeptRow.class),
                store.readText("SELECT boot FROM host"));
        return new SqliteBoxRecord(store, rows);
    }

    @Override
    public BoxRows rows() {
        return rows;
    }

    @Override
    public synchronized BoxRows apply(BoxCommand command) {
        List<RowChange> changes = BoxDecisions.of(rows, command);
        store.write("that name is taken", () -> {
            for (RowChange change : changes) {
                write(change);
            }
        });
        rows = rows.after(changes);
        return rows;
    }

    private void write(RowChange change) throws SQLException {
        switch (change) {
            case RowChange.PutBox(BoxRow row) ->
                store.update(
                        "INSERT INTO boxes (id, name, facts) VALUES (?, ?, ?)"
                                + " ON CONFLICT (id) DO UPDATE SET name = excluded.name, facts = excluded.facts",
                        row.id(),
                        row.name(),
                        Json.write(row));
            case RowChange.DropBox(String id) -> store.update("DELETE FROM boxes WHERE id = ?", id);
            case RowChange.PutSnapshot(KeptRow row) ->
                store.update(
                        "INSERT INTO kept (id, box, facts) VALUES (?, ?, ?)"
                                + " ON CONFLICT (id) DO UPDATE SET facts = excluded.facts",
                        row.id(),
                        row.box(),
                        Json.write(row));
            case RowChange.DropSnapshot(String id) -> store.update("DELETE FROM kept WHERE id = ?", id);
            case RowChange.PutBoot(String boot) -> store.update("UPDATE host SET boot = ?", boot);
        }
    }
}
