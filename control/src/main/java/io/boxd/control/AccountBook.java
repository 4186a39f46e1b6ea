package io.boxd.control;

import io.boxd.accounts.AccountChange;
import io.boxd.accounts.AccountCommands;
import io.boxd.accounts.AccountDecisions;
import io.boxd.accounts.AccountRow;
import io.boxd.accounts.AccountRows;
import io.boxd.accounts.RowKind;
import io.boxd.common.Json;
import io.boxd.ledger.Book;
import io.boxd.ledger.Decision;
import io.boxd.ledger.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The part of the state that is about accounts: what is in its tables is also in memory, to be read at once. */
public final class AccountBook implements Book {
    static final String NAME = "accounts";

    private volatile AccountRows rows = AccountRows.none();

    AccountRows rows() {
        return rows;
    }

    @Override
    public String name() {
        return NAME;
    }

    /** A table for each kind of row; kinds that come later are later versions. */
    @Override
    public List<Migration> migrations() {
        return List.of(tables -> Stream.of(
                        RowKind.USER,
                        RowKind.KEY,
                        RowKind.TOKEN,
                        RowKind.ORGANISATION,
                        RowKind.INVITATION,
                        RowKind.IDENTITY)
                .map(RowKind::wireName)
                .forEach(tables::create));
    }

    @Override
    public void load(Tables tables) {
        List<AccountRow> all = new ArrayList<>();
        for (RowKind kind : RowKind.values()) {
            tables.all(kind.wireName()).forEach(facts -> all.add(Json.read(facts, kind.type())));
        }
        rows = AccountRows.of(all);
    }

    @Override
    public boolean isTaken(String name) {
        return rows.isNameTaken(name);
    }

    @Override
    public Decision decide(int version, String text, Tables tables, Predicate<String> takenElsewhere) {
        AccountRows before = rows;
        List<AccountChange> changes = AccountDecisions.of(before, AccountCommands.read(text), takenElsewhere);
        for (AccountChange change : changes) {
            switch (change) {
                case AccountChange.Put(AccountRow row) -> tables.put(row.kind().wireName(), row.key(), Json.write(row));
                case AccountChange.Drop(RowKind kind, String key) -> tables.delete(kind.wireName(), key);
            }
        }
        AccountRows after = before.after(changes);
        return Decision.done(() -> rows = after);
    }
}
