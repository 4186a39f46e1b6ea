package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.ledger.Book;
import io.boxd.ledger.Decision;
import io.boxd.ledger.Tables;
import java.util.List;
import java.util.function.Predicate;

/** The part of the state that is about boxes: what is in its tables is also in memory, to be read at once. */
public final class BoxBook implements Book {
    static final String NAME = "boxes";

    private static final String BOXES = "boxes";
    private static final String KEPT = "kept";
    private static final String KEYS = "keys";
    private static final String HOST = "host";
    private static final String BOOT = "boot";

    private record Boot(String id) {}

    private volatile BoxRows rows = BoxRows.none();

    BoxRows rows() {
        return rows;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Migration> migrations() {
        return List.of(tables -> List.of(BOXES, KEPT, KEYS, HOST).forEach(tables::create));
    }

    @Override
    public void load(Tables tables) {
        rows = BoxRows.of(
                read(tables, BOXES, BoxRow.class),
                read(tables, KEPT, KeptRow.class),
                read(tables, KEYS, KeyRow.class),
                read(tables, HOST, Boot.class).stream()
                        .map(Boot::id)
                        .findFirst()
                        .orElse(""));
    }

    private static <T> List<T> read(Tables tables, String table, Class<T> type) {
        return tables.all(table).stream().map(row -> Json.read(row, type)).toList();
    }

    @Override
    public boolean isTaken(String name) {
        return rows.named(name).isPresent();
    }

    @Override
    public Decision decide(int version, String text, Tables tables, Predicate<String> takenElsewhere) {
        BoxCommand command = BoxCommands.read(text);
        BoxRows before = rows;
        List<RowChange> changes = BoxDecisions.of(before, command, takenElsewhere);
        Outcome outcome = BoxDecisions.outcome(before, command);
        changes.forEach(change -> write(tables, change));
        BoxRows after = before.after(changes);
        return new Decision(Json.write(outcome), () -> rows = after);
    }

    private static void write(Tables tables, RowChange change) {
        switch (change) {
            case RowChange.PutBox(BoxRow row) -> tables.put(BOXES, row.id(), Json.write(row));
            case RowChange.DropBox(String id) -> tables.delete(BOXES, id);
            case RowChange.PutSnapshot(KeptRow row) -> tables.put(KEPT, row.id(), Json.write(row));
            case RowChange.DropSnapshot(String id) -> tables.delete(KEPT, id);
            case RowChange.PutKey(KeyRow row) -> tables.put(KEYS, row.id(), Json.write(row));
            case RowChange.DropKey(String id) -> tables.delete(KEYS, id);
            case RowChange.PutBoot(String boot) -> tables.put(HOST, BOOT, Json.write(new Boot(boot)));
        }
    }

    static Outcome outcome(String answer) {
        try {
            return Json.read(answer, Outcome.class);
        } catch (BoxdException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "the ledger's answer cannot be read", e);
        }
    }
}
