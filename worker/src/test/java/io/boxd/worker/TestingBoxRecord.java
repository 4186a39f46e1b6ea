package io.boxd.worker;

import io.boxd.common.Deadline;
import io.boxd.ledger.Ledger;
import java.nio.file.Path;
import java.util.List;

/** A record of boxes behind a ledger of its own, without machines. */
final class TestingBoxRecord implements BoxRecord, AutoCloseable {
    private final BoxBook book = new BoxBook();
    private final Ledger ledger;
    private final LedgerBoxRecord record;

    TestingBoxRecord(Path home) {
        this.ledger = Ledger.open(WorkerConfig.ledger(home), List.of(book), Deadline.inSeconds(60));
        this.record = new LedgerBoxRecord(ledger, book);
    }

    long commits() {
        return ledger.commits();
    }

    @Override
    public BoxRows rows() {
        return record.rows();
    }

    @Override
    public Outcome apply(BoxCommand command) {
        return record.apply(command);
    }

    @Override
    public void close() {
        ledger.close();
    }
}
