package io.boxd.worker;

import io.boxd.common.Deadline;
import io.boxd.ledger.Ledger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A record of boxes behind a ledger, without machines. */
public final class TestingBoxRecord implements BoxRecord, AutoCloseable {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private final BoxBook book;
    private final Ledger ledger;
    private final LedgerBoxRecord record;

    private TestingBoxRecord(Ledger ledger, BoxBook book) {
        this.ledger = ledger;
        this.book = book;
        this.record = new LedgerBoxRecord(ledger, book);
    }

    /** Behind a ledger of its own. */
    TestingBoxRecord(Path home) {
        this(new BoxBook(), home);
    }

    private TestingBoxRecord(BoxBook book, Path home) {
        this(Ledger.open(WorkerConfig.ledger(home), List.of(book), Deadline.inSeconds(60)), book);
    }

    /** Behind a ledger that has this book among others. */
    public static TestingBoxRecord in(Ledger ledger, BoxBook book) {
        return new TestingBoxRecord(ledger, book);
    }

    /** Takes a name as a new box does. */
    public void reserve(String name) {
        record.apply(BoxCommand.Reserve.of(List.of(box("bx_" + name, name, Optional.empty()))));
    }

    /** Gives the box that was reserved under a name another one. */
    public void rename(String name, String other) {
        record.apply(new BoxCommand.Rename("bx_" + name, other));
    }

    public boolean isThere(String name) {
        return book.isTaken(name);
    }

    static BoxRow box(String id, String name, Optional<String> parent) {
        BoxSettings settings = new BoxSettings(
                name,
                Map.of("k", "v"),
                Map.of("A", "b"),
                TestingBoxes.SMALL,
                new SleepRules(Duration.ofSeconds(30), Duration.ofMinutes(10)),
                -1,
                Optional.of(NOW.plusSeconds(9)),
                new Sharing(Optional.of("org_1"), true),
                new Doorway(Doorway.Admittance.PRIVATE, Optional.of(3000), Optional.of("key")));
        return new BoxRow(
                id,
                BoxRow.LOCAL,
                0,
                "0".repeat(31) + id.length(),
                "tiny",
                BoxRow.sourceOf(new Origination.FromImage("tiny")),
                parent,
                NOW,
                0,
                0,
                settings,
                BoxCondition.begin(Standing.RESERVED, Optional.empty(), NOW));
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
