package io.boxd.meter;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What has been added up, in an SQLite file of its own: facts of this host, which nobody has to agree on.
 *
 * <p>Thread-safe. Where a meter stands and what was added for it change together or not at all, so that a server that
 * is killed neither loses nor doubles anything that was counted before.
 */
public final class MeterBook implements AutoCloseable {
    private static final List<String> SCHEMA = List.of(
            "CREATE TABLE states (box TEXT PRIMARY KEY, facts TEXT NOT NULL) STRICT",
            "CREATE TABLE used (box TEXT NOT NULL, owner TEXT NOT NULL, organisation TEXT NOT NULL,"
                    + " hour INTEGER NOT NULL, cpu_nanos INTEGER NOT NULL, memory INTEGER NOT NULL,"
                    + " disk INTEGER NOT NULL, received INTEGER NOT NULL, sent INTEGER NOT NULL,"
                    + " PRIMARY KEY (box, owner, organisation, hour)) STRICT, WITHOUT ROWID");
    private static final int VERSION = 1;
    private static final String NO_ORGANISATION = "";

    private final Path file;
    private final Connection connection;
    private Map<String, MeterState> states = new HashMap<>();

    private MeterBook(Path file, Connection connection) {
        this.file = file;
        this.connection = connection;
    }

    /** Opens the file, or begins one. */
    public static MeterBook open(Path file) {
        try {
            Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
            MeterBook book = new MeterBook(file, connection);
            try {
                book.prepare();
                return book;
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw damaged(file, String.valueOf(e.getMessage()), e);
        }
    }

    private void prepare() throws SQLException {
        execute("PRAGMA journal_mode = WAL");
        execute("PRAGMA synchronous = FULL");
        execute("PRAGMA busy_timeout = 5000");
        String check = text("PRAGMA quick_check");
        if (!check.equals("ok")) {
            throw damaged(file, check.lines().findFirst().orElse(""), null);
        }
        int version = Integer.parseInt(text("PRAGMA user_version"));
        if (version > VERSION) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE,
                    "the meters in " + file + " were written by a newer boxd",
                    "Run that version, or a newer one.",
                    null);
        }
        if (version == 0) {
            execute("BEGIN IMMEDIATE");
            for (String statement : SCHEMA) {
                execute(statement);
            }
            execute("PRAGMA user_version = " + VERSION);
            execute("COMMIT");
        }
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT facts FROM states")) {
            while (result.next()) {
                MeterState state = Json.read(result.getString(1), MeterState.class);
                states.put(state.box(), state);
            }
        }
    }

    /** Where the meter of a box stands. */
    public synchronized Optional<MeterState> state(String box) {
        return Optional.ofNullable(states.get(box));
    }

    /** The boxes that meters stand for. */
    public synchronized List<String> boxes() {
        return states.keySet().stream().sorted().toList();
    }

    /** Adds up what came with these readings, in their order; it lasts when this returns. */
    public synchronized void take(List<Reading> readings) {
        if (readings.isEmpty()) {
            return;
        }
        Map<String, MeterState> next = new HashMap<>(states);
        try {
            execute("BEGIN IMMEDIATE");
            try {
                for (Reading reading : readings) {
                    take(next, reading);
                }
                execute("COMMIT");
            } catch (SQLException | RuntimeException e) {
                rollBack(e);
                throw e;
            }
        } catch (SQLException e) {
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE,
                    "what boxes use could not be written to " + file + ": " + e.getMessage(),
                    "Is its disk full? It is added up when it can be written again.",
                    e);
        }
        states = next;
    }

    private void rollBack(Exception failure) {
        try {
            execute("ROLLBACK");
        } catch (SQLException already) {
            // Some errors end the transaction by themselves.
            failure.addSuppressed(already);
        }
    }

    private void take(Map<String, MeterState> next, Reading reading) throws SQLException {
        Meter.Step step = Meter.step(Optional.ofNullable(next.get(reading.box())), reading);
        for (Map.Entry<Instant, Consumption> entry : step.used().entrySet()) {
            add(reading, entry.getKey(), entry.getValue());
        }
        if (reading.last()) {
            next.remove(reading.box());
            update("DELETE FROM states WHERE box = ?", reading.box());
        } else {
            next.put(reading.box(), step.after());
            update(
                    "INSERT INTO states (box, facts) VALUES (?, ?)"
                            + " ON CONFLICT (box) DO UPDATE SET facts = excluded.facts",
                    reading.box(),
                    Json.write(step.after()));
        }
    }

    private void add(Reading reading, Instant hour, Consumption more) throws SQLException {
        update(
                "INSERT INTO used (box, owner, organisation, hour, cpu_nanos, memory, disk, received, sent)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
                        + " ON CONFLICT (box, owner, organisation, hour) DO UPDATE SET"
                        + " cpu_nanos = cpu_nanos + excluded.cpu_nanos, memory = memory + excluded.memory,"
                        + " disk = disk + excluded.disk, received = received + excluded.received,"
                        + " sent = sent + excluded.sent",
                reading.box(),
                reading.owner(),
                reading.organisation().orElse(NO_ORGANISATION),
                hour.getEpochSecond(),
                more.cpuNanos(),
                more.memoryMebibyteMillis(),
                more.diskMebibyteMillis(),
                more.receivedBytes(),
                more.sentBytes());
    }

    /** What each box has used in the hours that end after this time; boxes that are gone, too. */
    public synchronized List<Used> since(Instant since) {
        List<Used> all = new ArrayList<>();
        String query =
                "SELECT box, owner, organisation, sum(cpu_nanos), sum(memory), sum(disk), sum(received), sum(sent)"
                        + " FROM used WHERE hour >= ?"
                        + " GROUP BY box, owner, organisation ORDER BY box, owner, organisation";
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setLong(1, since.truncatedTo(ChronoUnit.HOURS).getEpochSecond());
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    all.add(new Used(
                            result.getString(1),
                            result.getString(2),
                            Optional.of(result.getString(3)).filter(id -> !id.equals(NO_ORGANISATION)),
                            new Consumption(
                                    result.getLong(4),
                                    result.getLong(5),
                                    result.getLong(6),
                                    result.getLong(7),
                                    result.getLong(8))));
                }
            }
        } catch (SQLException e) {
            throw damaged(file, String.valueOf(e.getMessage()), e);
        }
        return all;
    }

    private void update(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
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

    private static BoxdException damaged(Path file, String why, @Nullable Throwable cause) {
        return new BoxdException(
                ErrorCode.INTERNAL,
                "the meters in " + file + " cannot be used: " + why,
                "Put the file back from a copy; or move it away, and meters begin anew. Boxes do not depend on it.",
                cause);
    }

    @Override
    public synchronized void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw damaged(file, String.valueOf(e.getMessage()), e);
        }
    }
}
