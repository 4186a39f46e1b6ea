package io.boxd.control;

import io.boxd.accounts.AccountCommand;
import io.boxd.accounts.AccountCommands;
import io.boxd.accounts.AccountRecord;
import io.boxd.accounts.AccountRows;
import io.boxd.common.Deadline;
import io.boxd.ledger.Ledger;
import java.time.Duration;

/** Accounts behind the ledger: each command is in the log before it changes a row. */
public final class LedgerAccounts implements AccountRecord {
    /** A disk that takes longer to write a few hundred bytes is broken. */
    private static final Duration WRITING = Duration.ofSeconds(30);

    private final Ledger ledger;
    private final AccountBook book;

    /** @param book one of the ledger's */
    public LedgerAccounts(Ledger ledger, AccountBook book) {
        this.ledger = ledger;
        this.book = book;
    }

    @Override
    public AccountRows rows() {
        return book.rows();
    }

    @Override
    public AccountRows apply(AccountCommand command) {
        ledger.commit(AccountBook.NAME, AccountCommands.write(command), Deadline.in(WRITING));
        return book.rows();
    }
}
