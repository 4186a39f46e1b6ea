package io.boxd.control;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.ledger.Ledger;
import java.time.Duration;

/** Requests behind the ledger. */
public final class LedgerRequests implements RequestRecord {
    /** A disk that takes longer to write a few hundred bytes is broken. */
    private static final Duration WRITING = Duration.ofSeconds(30);

    private final Ledger ledger;

    /** @param ledger one that has a {@link RequestBook} */
    public LedgerRequests(Ledger ledger) {
        this.ledger = ledger;
    }

    @Override
    public Remembered apply(RequestCommand command) {
        String answer = ledger.commit(RequestBook.NAME, Json.write(command), Deadline.in(WRITING));
        return Json.read(answer, Remembered.class);
    }
}
