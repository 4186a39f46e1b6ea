package io.boxd.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The tables of one book: rows of an id and facts, each with a sum by which a changed bit is noticed.
 *
 * <p>Only within a transaction of {@link StateDatabase}, which knows the sum of all rows afterwards.
 */
public final class Tables {
    private final Connection connection;
    private final String book;
    private long change;

    Tables(Connection connection, String book) {
        this.connection = connection;
        this.book = book;
    }

    /** By how much the sum of all rows has changed. */
    long change() {
        return change;
    }

    private String quoted(String table) {
        return "\"" + fullName(book, table) + "\"";
    }

    static String fullName(String book, String table) {
        return book + "." + table;
    }

    /** A new table without rows. */
    public void create(String table) {
        execute("CREATE TABLE " + quoted(table)
                + " (id TEXT PRIMARY KEY, facts TEXT NOT NULL, sum INTEGER NOT NULL) STRICT, WITHOUT ROWID");
    }

    /** Forgets a table and its rows. */
    public void drop(String table) {
        for (String id : ids(table)) {
            delete(table, id);
        }
        execute("DROP TABLE " + quoted(table));
    }

    /** Writes a row, new or in the place of the one with this id. */
    public void put(String table, String id, String facts) {
        long sum = Chain.ofRow(fullName(book, table), id, facts);
        Optional<Long> before = sum(table, id);
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO " + quoted(table)
                + " (id, facts, sum) VALUES (?, ?, ?)"
                + " ON CONFLICT (id) DO UPDATE SET facts = excluded.facts, sum = excluded.sum")) {
            statement.setString(1, id);
            statement.setString(2, facts);
            statement.setLong(3, sum);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new StorageFailure(e);
        }
        change += sum - before.orElse(0L);
    }

    /** Deletes a row, if there is one with this id. */
    public void delete(String table, String id) {
        Optional<Long> before = sum(table, id);
        if (before.isEmpty()) {
            return;
        }
        try (PreparedStatement statement =
                connection.prepareStatement("DELETE FROM " + quoted(table) + " WHERE id = ?")) {
            statement.setString(1, id);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new StorageFailure(e);
        }
        change -= before.get();
    }

    /** The facts of all rows, in the order of their ids. */
    public List<String> all(String table) {
        return column("SELECT facts FROM " + quoted(table) + " ORDER BY id");
    }

    private List<String> ids(String table) {
        return column("SELECT id FROM " + quoted(table) + " ORDER BY id");
    }

    private List<String> column(String query) {
        List<String> values = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            while (result.next()) {
                values.add(result.getString(1));
            }
        } catch (SQLException e) {
            throw new StorageFailure(e);
        }
        return values;
    }

    private Optional<Long> sum(String table, String id) {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT sum FROM " + quoted(table) + " WHERE id = ?")) {
            statement.setString(1, id);
            try (ResultSet result = statement.executeQuery()) {
                return result.next() ? Optional.of(result.getLong(1)) : Optional.empty();
            }
        } catch (SQLException e) {
            throw new StorageFailure(e);
        }
    }

    private void execute(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new StorageFailure(e);
        }
    }
}
