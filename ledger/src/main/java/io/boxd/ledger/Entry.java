package io.boxd.ledger;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import java.nio.charset.StandardCharsets;

/**
 * A command as it stands in the log: a line of JSON that says whose it is, and the command.
 *
 * @param command empty if the book's tables are only brought to this version
 */
record Entry(String book, int version, String command) {
    private record Head(String book, int version, boolean migration) {}

    static Entry migration(Book book) {
        return new Entry(book.name(), book.version(), "");
    }

    boolean isMigration() {
        return command.isEmpty();
    }

    byte[] bytes() {
        return (Json.write(new Head(book, version, isMigration())) + "\n" + command).getBytes(StandardCharsets.UTF_8);
    }

    static Entry read(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        int end = text.indexOf('\n');
        if (end < 0) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "an entry without a command");
        }
        Head head = Json.read(text.substring(0, end), Head.class);
        return new Entry(head.book(), head.version(), text.substring(end + 1));
    }
}
