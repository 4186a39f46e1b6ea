package io.boxd.server;

import io.boxd.accounts.AccountRecord;
import io.boxd.common.Deadline;
import io.boxd.control.AccountBook;
import io.boxd.control.LedgerAccounts;
import io.boxd.control.LedgerRequests;
import io.boxd.control.RequestBook;
import io.boxd.control.RequestRecord;
import io.boxd.ledger.Book;
import io.boxd.ledger.Ledger;
import io.boxd.worker.BoxBook;
import io.boxd.worker.WorkerConfig;
import java.nio.file.Path;
import java.util.List;

/** All that is decided in an instance: one ledger, and the books that follow from it. */
final class Decisions implements AutoCloseable {
    private final BoxBook boxes;
    private final Ledger ledger;
    private final AccountRecord accounts;

    private Decisions(BoxBook boxes, Ledger ledger, AccountRecord accounts) {
        this.boxes = boxes;
        this.ledger = ledger;
        this.accounts = accounts;
    }

    /** The parts that the state of an instance has. */
    static List<Book> books() {
        return List.of(new BoxBook(), new AccountBook(), new RequestBook());
    }

    static Decisions open(Path home, Deadline deadline) {
        BoxBook boxes = new BoxBook();
        AccountBook accounts = new AccountBook();
        Ledger ledger = Ledger.open(WorkerConfig.ledger(home), List.of(boxes, accounts, new RequestBook()), deadline);
        return new Decisions(boxes, ledger, new LedgerAccounts(ledger, accounts));
    }

    BoxBook boxes() {
        return boxes;
    }

    Ledger ledger() {
        return ledger;
    }

    RequestRecord requests() {
        return new LedgerRequests(ledger);
    }

    AccountRecord accounts() {
        return accounts;
    }

    @Override
    public void close() {
        ledger.close();
    }
}
