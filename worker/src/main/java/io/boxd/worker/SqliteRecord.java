package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.vmm.EngineRecord;
import io.boxd.vmm.MachineRow;
import io.boxd.vmm.RecordChange;
import io.boxd.vmm.SnapshotRow;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * The record in one SQLite file: each change is on disk when it is acknowledged.
 *
 * <p>A {@link Reserve} beside it is given up when the disk is full, so that what must be written down
 * (above all, what was deleted to make room) still can be.
 */
public final class SqliteRecord implements EngineRecord, AutoCloseable {
    private static final int SCHEMA_VERSION = 1;
    private static final List<String> SCHEMA = List.of(
            "CREATE TABLE machines (id TEXT PRIMARY KEY, machine_id TEXT NOT NULL UNIQUE, facts TEXT NOT NULL) STRICT",
            "CREATE TABLE snapshots (id TEXT PRIMARY KEY, machine_id TEXT NOT NULL, facts TEXT NOT NULL) STRICT");

    private final Path file;
    private final Connection connection;
    private final Reserve reserve;

    private SqliteRecord(Path file, Connection connection, Reserve reserve) {
        this.file = file;
        this.connection = connection;
        this.reserve = reserve;
    }

    /** Opens the record in this file, or begins one. */
    public static SqliteRecord open(Path file) {
        try {
            Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
            SqliteRecord record = new SqliteRecord(file, connection, new Reserve(file.resolveSibling("reserve")));
            try {
                record.prepare();
                return record;
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw damaged(file, e);
        }
    }

    private void prepare() throws SQLException {
        execute("PRAGMA journal_mode = WAL");
        execute("PRAGMA synchronous = FULL");
        execute("PRAGMA busy_timeout = 5000");
        String check = text("PRAGMA quick_check");
        if (!check.equals("ok")) {
            throw new BoxdException(
                    ErrorCode.INTERNAL,
                    "the record " + file + " is damaged: "
                            + check.lines().findFirst().orElse(""),
                    "Put it back from a copy; nothing was changed.",
                    null);
        }
        int version = Integer.parseInt(text("PRAGMA user_version"));
        if (version > SCHEMA_VERSION) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE,
                    "the record " + file + " was written by a newer boxd",
                    "Run that version, or a newer one.",
                    null);
        }
        if (version == 0) {
            transaction(() -> {
                for (String statement : SCHEMA) {
                    execute(statement);
                }
                execute("PRAGMA user_version = " + SCHEMA_VERSION);
            });
        }
        reserve.fill();
    }

    @Override
    public synchronized Rows rows() {
        try {
            return new Rows(
                    read("SELECT facts FROM machines ORDER BY id", MachineRow.class),
                    read("SELECT facts FROM snapshots ORDER BY id", SnapshotRow.class));
        } catch (SQLException e) {
            throw damaged(file, e);
        }
    }

    private <T> List<T> read(String query, Class<T> type) throws SQLException {
        List<T> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            while (result.next()) {
                rows.add(Json.read(result.getString(1), type));
            }
        }
        return rows;
    }

    @Override
    public synchronized void apply(List<RecordChange> changes) {
        try {
            applyOnce(changes);
            reserve.fill();
        } catch (SQLException e) {
            if (!isFull(e) || !reserve.giveUp()) {
                throw failure(e);
            }
            try {
                applyOnce(changes);
            } catch (SQLException again) {
                throw failure(again);
            }
        }
    }

    private interface Work {
        void run() throws SQLException;
    }

    private void transaction(Work work) throws SQLException {
        execute("BEGIN IMMEDIATE");
        try {
            work.run();
            execute("COMMIT");
        } catch (SQLException | RuntimeException e) {
            try {
                execute("ROLLBACK");
            } catch (SQLException already) {
                // Some errors end the transaction by themselves.
                e.addSuppressed(already);
            }
            throw e;
        }
    }

    private void applyOnce(List<RecordChange> changes) throws SQLException {
        transaction(() -> {
            for (RecordChange change : changes) {
                apply(change);
            }
        });
    }

    private void apply(RecordChange change) throws SQLException {
        switch (change) {
            case RecordChange.MachineStarted(MachineRow row) ->
                update(
                        "INSERT INTO machines (id, machine_id, facts) VALUES (?, ?, ?)",
                        row.id(),
                        row.identity().machineId(),
                        Json.write(row));
            case RecordChange.MachineChanged(MachineRow row) ->
                update("UPDATE machines SET facts = ? WHERE id = ?", Json.write(row), row.id());
            case RecordChange.MachineEnded(String id) -> update("DELETE FROM machines WHERE id = ?", id);
            case RecordChange.SnapshotKept(SnapshotRow row) ->
                update(
                        "INSERT INTO snapshots (id, machine_id, facts) VALUES (?, ?, ?)",
                        row.id(),
                        row.identity().machineId(),
                        Json.write(row));
            case RecordChange.SnapshotForgotten(String id) -> update("DELETE FROM snapshots WHERE id = ?", id);
        }
    }

    private void update(String sql, String... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String text(String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            return result.next() ? result.getString(1) : "";
        }
    }

    private static boolean isFull(SQLException e) {
        return e instanceof SQLiteException known
                && (known.getResultCode() == SQLiteErrorCode.SQLITE_FULL
                        || known.getResultCode() == SQLiteErrorCode.SQLITE_IOERR_WRITE);
    }

    private BoxdException failure(SQLException e) {
        if (e instanceof SQLiteException known && known.getResultCode() == SQLiteErrorCode.SQLITE_CONSTRAINT_UNIQUE) {
            return new BoxdException(ErrorCode.WRONG_STATE, "that machine runs already", e);
        }
        if (isFull(e)) {
            return new BoxdException(
                    ErrorCode.RESOURCE_EXHAUSTED, "the disk of " + file + " is full", "Free some space on it.", e);
        }
        return damaged(file, e);
    }

    private static BoxdException damaged(Path file, SQLException cause) {
        return new BoxdException(
                ErrorCode.INTERNAL, "the record " + file + " cannot be used: " + cause.getMessage(), cause);
    }

    @Override
    public synchronized void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw damaged(file, e);
        }
    }
}
