package io.boxd.ledger;

import java.util.List;
import java.util.function.Predicate;

/**
 * A named part of the state, with tables of its own and commands that change them.
 *
 * <p>The same commands in the same order make the same rows, anywhere: deciding uses no clock, no chance and nothing
 * from outside; times and ids come with commands. Called by one thread at a time.
 */
public interface Book {
    /** Lower-case letters; its tables have it in front of their names. */
    String name();

    /** What makes each version of its tables of the one before, the first of nothing; their number is the version. */
    List<Migration> migrations();

    /** The version of its tables and commands that this program writes. */
    default int version() {
        return migrations().size();
    }

    /** Reads what it keeps in memory; the tables are of its own version. Also called after a migration. */
    void load(Tables tables);

    /** Whether it has given this name to somebody: names come from one stock for all books. */
    boolean isTaken(String name);

    /**
     * Decides on a command and writes what it changes, or refuses with an error and changes nothing.
     *
     * @param version of the book that wrote the command, at most its own
     * @param takenElsewhere whether another book has given a name to somebody
     */
    Decision decide(int version, String command, Tables tables, Predicate<String> takenElsewhere);

    /** One step from a version of the tables to the next. */
    @FunctionalInterface
    interface Migration {
        void run(Tables tables);
    }
}
