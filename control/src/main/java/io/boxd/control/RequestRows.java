package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The requests that are remembered, and what each command makes of them. For one thread at a time. */
final class RequestRows {
    /** Of one user; whoever makes more of them in a day has the oldest forgotten. */
    private static final int MOST = 10_000;

    private final Map<String, RequestRow> rows = new HashMap<>();
    private final int most;

    RequestRows() {
        this(MOST);
    }

    RequestRows(int most) {
        this.most = most;
    }

    /** A row that is written, and those that are forgotten for it. */
    record Change(RequestRow row, boolean before, List<String> forgotten) {}

    void load(Collection<RequestRow> all) {
        rows.clear();
        all.forEach(row -> rows.put(row.key().id(), row));
    }

    /** What a command comes to; changes nothing yet. */
    Change decide(RequestCommand command) {
        Optional<RequestRow> present =
                Optional.ofNullable(rows.get(command.key().id())).filter(row -> !row.isForgottenAt(command.at()));
        present.filter(row -> !row.key().equals(command.key())).ifPresent(row -> {
            throw row.key().usedOtherwise();
        });
        return switch (command.step()) {
            case BEGIN -> present.map(row -> new Change(row, true, List.of())).orElseGet(() -> begun(command));
            case FINISH -> new Change(present.orElseThrow(RequestRows::gone).finished(), true, List.of());
        };
    }

    private Change begun(RequestCommand command) {
        List<String> forgotten = new ArrayList<>();
        rows.values().stream()
                .filter(row -> row.isForgottenAt(command.at()))
                .forEach(row -> forgotten.add(row.key().id()));
        oldestOf(command.key().owner()).ifPresent(row -> forgotten.add(row.key().id()));
        RequestRow row = new RequestRow(command.key(), command.made(), false, command.at());
        return new Change(row, false, forgotten);
    }

    /** The request of a user that makes room for another, if there must be room. */
    private Optional<RequestRow> oldestOf(String owner) {
        List<RequestRow> theirs = rows.values().stream()
                .filter(row -> row.key().owner().equals(owner))
                .toList();
        return theirs.size() < most
                ? Optional.empty()
                : theirs.stream()
                        .min(Comparator.comparing(RequestRow::at)
                                .thenComparing(row -> row.key().id()));
    }

    void apply(Change change) {
        change.forgotten().forEach(rows::remove);
        rows.put(change.row().key().id(), change.row());
    }

    private static BoxdException gone() {
        return new BoxdException(ErrorCode.NOT_FOUND, "this request is not remembered any more");
    }
}
