package io.boxd.worker;

import io.boxd.common.Deadline;
import io.boxd.ledger.Ledger;
import java.time.Duration;

/** The record of boxes behind the ledger: each command is in the log before it changes a row. */
final class LedgerBoxRecord implements BoxRecord {
    /** A disk that takes longer to write a few hundred bytes is broken. */
    private static final Duration WRITING = Duration.ofSeconds(30);

    private final Ledger ledger;
    private final BoxBook book;

    /** @param book one of the ledger's */
    LedgerBoxRecord(Ledger ledger, BoxBook book) {
        this.ledger = ledger;
        this.book = book;
    }

    @Override
    public BoxRows rows() {
        return book.rows();
    }

    @Override
    public Outcome apply(BoxCommand command) {
        return BoxBook.outcome(ledger.commit(BoxBook.NAME, BoxCommands.write(command), Deadline.in(WRITING)));
    }
}
