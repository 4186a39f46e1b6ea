package io.boxd.ledger;

import io.boxd.common.Deadline;
import io.boxd.trust.Authority;
import java.nio.file.Path;
import java.util.List;

/** A ledger in a folder made for one test, which can be opened again and again. */
final class TestingLedger {
    static final String BOOK = "counting";

    private TestingLedger() {}

    static LedgerConfig config(Path home) {
        Authority authority = Authority.open(home.resolve("trust"), "test", List.of());
        return LedgerConfig.local(home.resolve("state"), authority);
    }

    static Ledger open(LedgerConfig config, Book book) {
        return Ledger.open(config, List.of(book), soon());
    }

    static Deadline soon() {
        return Deadline.inSeconds(60);
    }

    static String add(Ledger ledger, String name) {
        return ledger.commit(BOOK, CountingBook.add(name), soon());
    }
}
