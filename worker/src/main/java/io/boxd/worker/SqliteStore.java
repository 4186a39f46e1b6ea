package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.linux.SpaceReserve;
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
 * One SQLite file with everything that an instance must remember: what was committed is on disk.
 *
 * <p>Thread-safe. A {@link SpaceReserve} beside it is given up when the disk is full, so that what must be
 * written down (above all, what was deleted to make room) still can be.
 */
final class SqliteStore implements AutoCloseable {
    /** What makes each version of the schema of the one before; the first of nothing. */
    private static final List<List<String>> MIGRATIONS = List.of(
            List.of(
                    "CREATE TABLE machines"
                            + " (id TEXT PRIMARY KEY, machine_id TEXT NOT NULL UNIQUE, facts TEXT NOT NULL) STRICT",
                    "CREATE TABLE snapshots"
                            + " (id TEXT PRIMARY KEY, machine_id TEXT NOT NULL, facts TEXT NOT NULL) STRICT"),
            List.of(
                    "CREATE TABLE boxes (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, facts TEXT NOT NULL) STRICT",
                    "CREATE TABLE kept (id TEXT PRIMARY KEY, box TEXT NOT NULL, facts TEXT NOT NULL) STRICT",
                    "CREATE TABLE host (id INTEGER PRIMARY KEY CHECK (id = 1), boot TEXT NOT NULL) STRICT",
                    "INSERT INTO host (id, boot) VALUES (1, '')"),
            List.of("DROP TABLE boxes", "DROP TABLE kept", "DROP TABLE host"));

    /** The version whose boxes must be brought elsewhere before it can become the next. */
    private static final int WITH_BOXES = 2;

    private final Path file;
    private final Connection connection;
    private final SpaceReserve reserve;

    private SqliteStore(Path file, Connection connection, SpaceReserve reserve) {
        this.file = file;
        this.connection = connection;
        this.reserve = reserve;
    }

    /** Opens the file, or begins one. */
    static SqliteStore open(Path file) {
        try {
            Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
            SqliteStore store = new SqliteStore(file, connection, new SpaceReserve(file.resolveSibling("reserve")));
            try {
                store.prepare();
                return store;
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
        migrate(Integer.parseInt(text("PRAGMA user_version")));
        reserve.fill();
    }

    private void migrate(int version) throws SQLException {
        if (version > MIGRATIONS.size()) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE,
                    "the record " + file + " was written by a newer boxd",
                    "Run that version, or a newer one.",
                    null);
        }
        if (version < MIGRATIONS.size() && version != WITH_BOXES) {
            bringUpToDate(version);
        }
    }

    private void bringUpToDate(int version) throws SQLException {
        transaction(() -> {
            for (List<String> statements : MIGRATIONS.subList(version, MIGRATIONS.size())) {
                for (String statement : statements) {
                    execute(statement);
                }
            }
            execute("PRAGMA user_version = " + MIGRATIONS.size());
        });
    }

    /** Whether an earlier boxd kept its boxes here. */
    synchronized boolean hasBoxes() {
        return Integer.parseInt(readText("PRAGMA user_version")) == WITH_BOXES;
    }

    /** They have another home now. */
    synchronized void forgetBoxes() {
        try {
            bringUpToDate(WITH_BOXES);
        } catch (SQLException e) {
            throw failure("", e);
        }
    }

    /** Something to do with the file. */
    interface Work {
        void run() throws SQLException;
    }

    /** The records in the first column of a query. */
    synchronized <T> List<T> read(String query, Class<T> type) {
        List<T> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            while (result.next()) {
                rows.add(Json.read(result.getString(1), type));
            }
        } catch (SQLException e) {
            throw damaged(file, e);
        }
        return rows;
    }

    /** The one value that a query has. */
    synchronized String readText(String query) {
        try {
            return text(query);
        } catch (SQLException e) {
            throw damaged(file, e);
        }
    }

    /** Does all of the work or nothing; it lasts when this returns. */
    synchronized void write(String conflict, Work work) {
        try {
            transaction(work);
            reserve.fill();
        } catch (SQLException e) {
            if (!isFull(e) || !reserve.giveUp()) {
                throw failure(conflict, e);
            }
            try {
                transaction(work);
            } catch (SQLException again) {
                throw failure(conflict, again);
            }
        }
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

    /** Within {@link #write}. */
    void update(String sql, String... values) throws SQLException {
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

    private BoxdException failure(String conflict, SQLException e) {
        if (e instanceof SQLiteException known && known.getResultCode() == SQLiteErrorCode.SQLITE_CONSTRAINT_UNIQUE) {
            return new BoxdException(ErrorCode.WRONG_STATE, conflict, e);
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
