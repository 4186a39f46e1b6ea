package io.boxd.ledger;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The books of a ledger by their names. */
final class Books {
    private final Map<String, Book> all = new LinkedHashMap<>();

    Books(List<Book> books) {
        for (Book book : books) {
            if (all.put(book.name(), book) != null) {
                throw new IllegalArgumentException("two books named " + book.name());
            }
        }
    }

    Collection<Book> all() {
        return all.values();
    }

    boolean knows(String name, int version) {
        Book book = all.get(name);
        return book != null && version <= book.version();
    }

    /** Whether any other book has given a name to somebody. */
    boolean isTakenOutside(Book book, String name) {
        return all.values().stream().anyMatch(other -> !other.name().equals(book.name()) && other.isTaken(name));
    }

    Book named(String name) {
        Book book = all.get(name);
        if (book == null) {
            throw new BoxdException(ErrorCode.INTERNAL, "there is no book " + name);
        }
        return book;
    }
}
