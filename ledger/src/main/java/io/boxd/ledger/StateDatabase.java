package io.boxd.ledger;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * The state in its SQLite file: the tables of all books, and up to which entry of the log they follow.
 *
 * <p>Both change in one transaction. A transaction may be lost by a power cut, never torn: the log has its entry and
 * applies it again.
 */
final class StateDatabase implements AutoCloseable {
    private static final int FORMAT = 1;
    private static final int BUSY_MILLIS = 10_000;
    private static final String URL = "jdbc:sqlite:";

    private final Path file;
    private final Connection connection;
    private final Map<String, Integer> versions = new HashMap<>();
    private Position position = Position.beginning();

    private StateDatabase(Path file, Connection connection) {
        this.file = file;
        this.connection = connection;
    }

    /** Begins an empty one, which appears whole and lasts when this returns. */
    static void begin(Path file) {
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        for (String ending : List.of("", "-wal", "-shm")) {
            FileOwner.deleteTree(unfinished.resolveSibling(unfinished.getFileName() + ending));
        }
        create(unfinished);
        try {
            Durable.publish(unfinished, file);
        } catch (IOException e) {
            throw Durable.failure("the state " + file + " could not be begun", e);
        }
    }

    private static void create(Path file) {
        try (Connection connection = connect(file)) {
            execute(connection, "BEGIN IMMEDIATE");
            execute(
                    connection,
                    "CREATE TABLE ledger (id INTEGER PRIMARY KEY CHECK (id = 1), last INTEGER NOT NULL,"
                            + " term INTEGER NOT NULL, chain TEXT NOT NULL, rows INTEGER NOT NULL) STRICT");
            execute(
                    connection,
                    "INSERT INTO ledger (id, last, term, chain, rows) VALUES (1, " + Position.NONE + ", 0, '"
                            + Chain.beginning().hash() + "', 0)");
            execute(connection, "CREATE TABLE books (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT");
            execute(connection, "CREATE TABLE snapshots (last INTEGER PRIMARY KEY) STRICT");
            execute(connection, "PRAGMA user_version = " + FORMAT);
            execute(connection, "COMMIT");
        } catch (SQLException e) {
            throw unusable(file, e);
        }
    }

    /** Opens one that exists; every row must be what was written. What is refused stays as it is. */
    static StateDatabase open(Path file) {
        // Whoever may write merges SQLite's own log into the file at the end, also into a damaged one.
        try (StateDatabase looking = new StateDatabase(file, lookAt(file))) {
            looking.check();
            StateDatabase database = new StateDatabase(file, connect(file));
            database.position = looking.position;
            database.versions.putAll(looking.versions);
            return database;
        } catch (SQLException e) {
            throw Damage.of(file, Objects.requireNonNullElse(e.getMessage(), "it cannot be read"), e);
        }
    }

    private static Connection lookAt(Path file) throws SQLException {
        SQLiteConfig reading = new SQLiteConfig();
        reading.setReadOnly(true);
        reading.setBusyTimeout(BUSY_MILLIS);
        return reading.createConnection(URL + file);
    }

    private static Connection connect(Path file) throws SQLException {
        Connection connection = DriverManager.getConnection(URL + file);
        execute(connection, "PRAGMA journal_mode = WAL");
        execute(connection, "PRAGMA synchronous = NORMAL");
        execute(connection, "PRAGMA busy_timeout = " + BUSY_MILLIS);
        return connection;
    }

    private void check() throws SQLException {
        String found = text("PRAGMA quick_check");
        if (!found.equals("ok")) {
            throw Damage.of(file, found.lines().skip(1).findFirst().orElse(found));
        }
        int format = Integer.parseInt(text("PRAGMA user_version"));
        if (format > FORMAT) {
            throw Damage.newer("the state " + file);
        }
        if (format < FORMAT) {
            throw Damage.of(file, "it has no state");
        }
        position = readPosition(connection);
        versions.putAll(readVersions());
        long sum = 0;
        for (String table : bookTables()) {
            sum += checkRows(table);
        }
        if (sum != position.rows()) {
            throw Damage.of(file, "rows are missing, or are not what they were at entry " + position.index());
        }
    }

    private long checkRows(String table) throws SQLException {
        long all = 0;
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id, facts, sum FROM \"" + table + "\"")) {
            while (rows.next()) {
                long sum = Chain.ofRow(table, rows.getString(1), rows.getString(2));
                if (sum != rows.getLong(3)) {
                    throw Damage.of(file, "a row of the table " + table + " is not what was written");
                }
                all += sum;
            }
        }
        return all;
    }

    private List<String> bookTables() throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet tables = statement.executeQuery(
                        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '%.%'")) {
            while (tables.next()) {
                names.add(tables.getString(1));
            }
        }
        return names;
    }

    private Map<String, Integer> readVersions() throws SQLException {
        Map<String, Integer> all = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT name, version FROM books")) {
            while (rows.next()) {
                all.put(rows.getString(1), rows.getInt(2));
            }
        }
        return all;
    }

    static Position readPosition(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT last, term, chain, rows FROM ledger")) {
            if (!row.next()) {
                throw new SQLException("it does not say what it follows from");
            }
            return new Position(row.getLong(1), row.getLong(2), new Chain(row.getString(3)), row.getLong(4));
        }
    }

    /** After the last entry that was applied. */
    synchronized Position position() {
        return position;
    }

    /** That of a book's tables; 0 if it has none yet. */
    synchronized int version(String book) {
        return versions.getOrDefault(book, 0);
    }

    Path file() {
        return file;
    }

    /** Lets a book read its rows. */
    synchronized void load(Book book) {
        try {
            book.load(new Tables(connection, book.name()));
        } catch (StorageFailure e) {
            throw unusable(file, e.sql());
        }
    }

    /** Applies an entry of the log, which is the next; answers as its book does. */
    synchronized String apply(Books books, long term, long index, byte[] bytes) {
        if (index <= position.index()) {
            throw new IllegalStateException("entry " + index + " was applied before");
        }
        Chain chain = position.chain().then(index, bytes);
        try {
            Entry entry = Entry.read(bytes);
            Book book = books.named(entry.book());
            return entry.isMigration()
                    ? migrate(book, entry.version(), term, index, chain)
                    : decide(books, book, entry, term, index, chain);
        } catch (SQLException e) {
            throw unusable(file, e);
        } catch (StorageFailure e) {
            throw unusable(file, e.sql());
        }
    }

    private String decide(Books books, Book book, Entry entry, long term, long index, Chain chain) throws SQLException {
        Decision decision;
        execute(connection, "BEGIN IMMEDIATE");
        try {
            Tables tables = new Tables(connection, book.name());
            decision = book.decide(entry.version(), entry.command(), tables, name -> books.isTakenOutside(book, name));
            finish(new Position(index, term, chain, position.rows() + tables.change()));
        } catch (SQLException | StorageFailure e) {
            rollBack(e);
            throw e;
        } catch (BoxdException e) {
            rollBack(e);
            return refuse(e, term, index, chain);
        } catch (RuntimeException e) {
            rollBack(e);
            return refuse(
                    new BoxdException(ErrorCode.INTERNAL, "the command could not be decided on: " + e, e),
                    term,
                    index,
                    chain);
        }
        decision.after().run();
        return Answer.of(decision).text();
    }

    /** A refused command is part of the log like any other, and changes nothing. */
    private String refuse(BoxdException refusal, long term, long index, Chain chain) throws SQLException {
        execute(connection, "BEGIN IMMEDIATE");
        try {
            finish(new Position(index, term, chain, position.rows()));
        } catch (SQLException e) {
            rollBack(e);
            throw e;
        }
        return Answer.of(refusal).text();
    }

    private String migrate(Book book, int wanted, long term, long index, Chain chain) throws SQLException {
        execute(connection, "BEGIN IMMEDIATE");
        try {
            Tables tables = new Tables(connection, book.name());
            int from = versions.getOrDefault(book.name(), 0);
            // One that was asked for twice is done once.
            int to = Math.max(from, wanted);
            for (Book.Migration migration : book.migrations().subList(from, to)) {
                migration.run(tables);
            }
            setVersion(book.name(), to);
            finish(new Position(index, term, chain, position.rows() + tables.change()));
            versions.put(book.name(), to);
        } catch (SQLException | RuntimeException e) {
            rollBack(e);
            throw e;
        }
        if (version(book.name()) == book.version()) {
            load(book);
        }
        return Answer.of(Decision.done(() -> {})).text();
    }

    private void setVersion(String book, int version) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO books (name, version) VALUES (?, ?)"
                + " ON CONFLICT (name) DO UPDATE SET version = excluded.version")) {
            statement.setString(1, book);
            statement.setInt(2, version);
            statement.executeUpdate();
        }
    }

    private void finish(Position next) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE ledger SET last = ?, term = ?, chain = ?, rows = ?")) {
            statement.setLong(1, next.index());
            statement.setLong(2, next.term());
            statement.setString(3, next.chain().hash());
            statement.setLong(4, next.rows());
            statement.executeUpdate();
        }
        execute(connection, "COMMIT");
        position = next;
    }

    private void rollBack(Exception cause) {
        try {
            execute(connection, "ROLLBACK");
        } catch (SQLException already) {
            // Some errors end the transaction by themselves.
            cause.addSuppressed(already);
        }
    }

    /**
     * Writes a copy of the state in some file into another that must not exist, while others use it; returns which.
     *
     * <p>What the copy says of itself is read from the copy: the state may go on meanwhile.
     */
    static Position copy(Path file, Path copy) {
        try (Connection connection = connect(file)) {
            try (PreparedStatement statement = connection.prepareStatement("VACUUM INTO ?")) {
                statement.setString(1, copy.toString());
                statement.execute();
            }
        } catch (SQLException e) {
            throw unusable(file, e);
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + copy)) {
            return readPosition(connection);
        } catch (SQLException e) {
            throw unusable(copy, e);
        }
    }

    /** Which snapshots of this state are kept on this host, oldest first; this is no part of the state itself. */
    synchronized List<Long> snapshots() {
        List<Long> all = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT last FROM snapshots ORDER BY last")) {
            while (rows.next()) {
                all.add(rows.getLong(1));
            }
        } catch (SQLException e) {
            throw unusable(file, e);
        }
        return all;
    }

    synchronized void keepsSnapshots(List<Long> all) {
        try {
            execute(connection, "BEGIN IMMEDIATE");
            try {
                execute(connection, "DELETE FROM snapshots");
                for (long last : all) {
                    execute(connection, "INSERT INTO snapshots (last) VALUES (" + last + ")");
                }
                execute(connection, "COMMIT");
            } catch (SQLException e) {
                rollBack(e);
                throw e;
            }
        } catch (SQLException e) {
            throw unusable(file, e);
        }
    }

    /** Makes everything up to now last without the log; false if somebody's reading kept it from that. */
    static boolean settle(Path file) {
        try (Connection connection = connect(file);
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("PRAGMA wal_checkpoint(FULL)")) {
            return result.next() && result.getInt(1) == 0;
        } catch (SQLException e) {
            throw unusable(file, e);
        }
    }

    private String text(String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            return result.next() ? result.getString(1) : "";
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static BoxdException unusable(Path file, SQLException cause) {
        if (cause instanceof SQLiteException known
                && (known.getResultCode() == SQLiteErrorCode.SQLITE_FULL
                        || known.getResultCode() == SQLiteErrorCode.SQLITE_IOERR_WRITE)) {
            return Durable.full("the state " + file + " could not be written", cause);
        }
        return Damage.of(file, Objects.requireNonNullElse(cause.getMessage(), "it cannot be used"), cause);
    }

    @Override
    public synchronized void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw unusable(file, e);
        }
    }
}
