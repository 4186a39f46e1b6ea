package io.boxd.worker;

import io.boxd.common.Json;
import java.util.ArrayList;
import java.util.List;

/**
 * The boxes of a record as it was before there was a ledger.
 *
 * <p>Brought there by commands that can be repeated: until all are decided on, the record keeps them, and nobody
 * changes anything; so a server that is killed in between begins again and comes to the same.
 */
record EarlierBoxes(List<BoxRow> boxes, List<KeptRow> snapshots, String boot) {
    /** What one command carries, so that none is too long to be written down. */
    private static final int CHARACTERS = 256 << 10;

    static EarlierBoxes read(SqliteStore store) {
        return new EarlierBoxes(
                store.read("SELECT facts FROM boxes", BoxRow.class),
                store.read("SELECT facts FROM kept", KeptRow.class),
                store.readText("SELECT boot FROM host"));
    }

    List<BoxCommand> commands() {
        List<BoxCommand> commands = new ArrayList<>();
        chunks(boxes).forEach(chunk -> commands.add(new BoxCommand.Import(chunk, List.of(), boot)));
        chunks(snapshots).forEach(chunk -> commands.add(new BoxCommand.Import(List.of(), chunk, boot)));
        return commands;
    }

    private static <T> List<List<T>> chunks(List<T> rows) {
        List<List<T>> chunks = new ArrayList<>();
        List<T> chunk = new ArrayList<>();
        int characters = 0;
        for (T row : rows) {
            int more = Json.write(row).length();
            if (!chunk.isEmpty() && characters + more > CHARACTERS) {
                chunks.add(chunk);
                chunk = new ArrayList<>();
                characters = 0;
            }
            chunk.add(row);
            characters += more;
        }
        if (!chunk.isEmpty()) {
            chunks.add(chunk);
        }
        return chunks;
    }
}
