package io.boxd.control;

import io.boxd.common.Json;
import io.boxd.ledger.Book;
import io.boxd.ledger.Decision;
import io.boxd.ledger.Tables;
import java.util.List;
import java.util.function.Predicate;

/** The part of the state that knows which requests were made before. */
public final class RequestBook implements Book {
    static final String NAME = "requests";

    private static final String REQUESTS = "requests";

    private final RequestRows rows = new RequestRows();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Migration> migrations() {
        return List.of(tables -> tables.create(REQUESTS));
    }

    @Override
    public void load(Tables tables) {
        rows.load(tables.all(REQUESTS).stream()
                .map(facts -> Json.read(facts, RequestRow.class))
                .toList());
    }

    /** Its keys are nobody's names. */
    @Override
    public boolean isTaken(String name) {
        return false;
    }

    @Override
    public Decision decide(int version, String text, Tables tables, Predicate<String> takenElsewhere) {
        RequestRows.Change change = rows.decide(Json.read(text, RequestCommand.class));
        change.forgotten().forEach(id -> tables.delete(REQUESTS, id));
        tables.put(REQUESTS, change.row().key().id(), Json.write(change.row()));
        return new Decision(Json.write(RequestRecord.Remembered.of(change)), () -> rows.apply(change));
    }
}
