package io.boxd.worker;

import static io.boxd.worker.TestingBoxRecord.box;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class BoxRecordTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private static final List<Standing> STANDINGS = List.copyOf(EnumSet.allOf(Standing.class));

    @TempDir
    private Path folder;

    private static KeptRow kept(String id, String box, Optional<String> label) {
        KeptSnapshot snapshot = new KeptSnapshot(
                id,
                box,
                KeptSnapshot.Cause.SAVED,
                label,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                NOW,
                1,
                2);
        return new KeptRow(snapshot, 0, "instant-" + id, false, "tiny", TestingBoxes.SMALL, Map.of(), Doorway.usual());
    }

    private static void assertCode(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void namesAndLabelsAreTakenOnceAndAFailedCommandChangesNothing() {
        try (TestingBoxRecord record = new TestingBoxRecord(folder)) {
            record.apply(BoxCommand.Reserve.of(List.of(box("b1", "one", Optional.empty()))));
            BoxRows before = record.rows();
            assertCode(
                    ErrorCode.ALREADY_EXISTS,
                    () -> record.apply(BoxCommand.Reserve.of(
                            List.of(box("b2", "two", Optional.empty()), box("b3", "one", Optional.empty())))));
            assertThat(record.rows()).isEqualTo(before);
            record.apply(BoxCommand.Reserve.of(List.of(box("b2", "two", Optional.of("b1")))));
            assertCode(ErrorCode.ALREADY_EXISTS, () -> record.apply(new BoxCommand.Rename("b2", "one")));
            record.apply(BoxCommand.Keep.of(kept("s1", "b1", Optional.of("golden"))));
            assertCode(
                    ErrorCode.ALREADY_EXISTS,
                    () -> record.apply(BoxCommand.Keep.of(kept("s2", "b1", Optional.of("golden")))));
            assertCode(ErrorCode.NOT_FOUND, () -> record.apply(new BoxCommand.Rename("b9", "nine")));
            assertThat(record.rows().tree("b1")).containsExactly("b1", "b2");
        }
    }

    @Test
    void whatWasAppliedIsThereAfterReopeningAndLabelledSnapshotsOutliveTheirBox() {
        BoxRows before;
        try (TestingBoxRecord record = new TestingBoxRecord(folder)) {
            record.apply(BoxCommand.Reserve.of(List.of(box("b1", "one", Optional.empty()))));
            record.apply(BoxCommand.Made.of(List.of("b1"), 3, 4, NOW));
            record.apply(BoxCommand.Keep.of(kept("s1", "b1", Optional.of("golden"))));
            record.apply(BoxCommand.Keep.of(kept("s2", "b1", Optional.empty())));
            record.apply(new BoxCommand.Intend(
                    "b1",
                    new Intent(Optional.of("s1"), Optional.empty(), "s3", 7),
                    kept("s3", "b1", Optional.empty())));
            record.apply(new BoxCommand.Reach("b1", List.of("100.124.0.2")));
            record.apply(new BoxCommand.Busy("b1", NOW.plusSeconds(60)));
            record.apply(new BoxCommand.Busy("b1", NOW.plusSeconds(5)));
            record.apply(new BoxCommand.HostSeen("boot"));
            before = record.rows();
            assertThat(before.box("b1").condition().busyUntil()).contains(NOW.plusSeconds(60));
            assertThat(before.box("b1").readyMillis()).isEqualTo(4);
        }
        try (TestingBoxRecord record = new TestingBoxRecord(folder)) {
            assertThat(record.rows()).isEqualTo(before);
            record.apply(new BoxCommand.Abandon("b1"));
            assertThat(record.rows().snapshots()).containsOnlyKeys("s1", "s2");
            record.apply(new BoxCommand.Remove(List.of("b1")));
            assertThat(record.rows().boxes()).isEmpty();
            assertThat(record.rows().snapshots()).containsOnlyKeys("s1");
        }
    }

    /** The record of an engine alone, as boxd had it before there were boxes. */
    @Test
    void anOlderFileIsBroughtUpToDate() throws SQLException {
        Path path = folder.resolve("record.db");
        write(path, ENGINE_ONLY, 1);
        try (SqliteRecord file = SqliteRecord.open(path);
                TestingBoxRecord record = new TestingBoxRecord(folder)) {
            file.handOverBoxes(record);
            assertThat(file.rows().machines()).isEmpty();
            assertThat(record.rows()).isEqualTo(BoxRows.none());
        }
    }

    private static final List<String> ENGINE_ONLY = List.of(
            "CREATE TABLE machines"
                    + " (id TEXT PRIMARY KEY, machine_id TEXT NOT NULL UNIQUE, facts TEXT NOT NULL) STRICT",
            "CREATE TABLE snapshots (id TEXT PRIMARY KEY, machine_id TEXT NOT NULL, facts TEXT NOT NULL) STRICT");

    private static void write(Path path, List<String> statements, int version) throws SQLException {
        try (Connection old = DriverManager.getConnection("jdbc:sqlite:" + path);
                Statement statement = old.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
            statement.execute("PRAGMA user_version = " + version);
        }
    }

    /** As the boxd before this one had written them: rows without an owner, in the file of the engine's record. */
    private void writeEarlierBoxes(Path path, int boxes) throws SQLException {
        List<String> statements = new ArrayList<>(ENGINE_ONLY);
        statements.add(
                "CREATE TABLE boxes (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, facts TEXT NOT NULL) STRICT");
        statements.add("CREATE TABLE kept (id TEXT PRIMARY KEY, box TEXT NOT NULL, facts TEXT NOT NULL) STRICT");
        statements.add("CREATE TABLE host (id INTEGER PRIMARY KEY CHECK (id = 1), boot TEXT NOT NULL) STRICT");
        statements.add("INSERT INTO host (id, boot) VALUES (1, 'the boot')");
        for (int i = 1; i <= boxes; i++) {
            BoxRow row = box("b" + i, "n" + i, Optional.empty()).numbered(i);
            String facts = io.boxd.common.Json.write(row).replace("\"owner\":\"local\",", "");
            assertThat(facts).doesNotContain("owner");
            statements.add("INSERT INTO boxes (id, name, facts) VALUES ('b" + i + "', 'n" + i + "', '" + facts + "')");
        }
        String kept = io.boxd.common.Json.write(kept("s1", "b1", Optional.of("golden")));
        statements.add("INSERT INTO kept (id, box, facts) VALUES ('s1', 'b1', '" + kept + "')");
        write(path, statements, 2);
    }

    @Test
    void boxesOfAnEarlierVersionAreBroughtHereOnceAndAllOfThem() throws SQLException {
        Path path = folder.resolve("record.db");
        writeEarlierBoxes(path, 3);
        try (TestingBoxRecord record = new TestingBoxRecord(folder)) {
            try (SqliteRecord file = SqliteRecord.open(path)) {
                // A server that was killed before it was done.
                assertThatThrownBy(() -> file.handOverBoxes(new Interrupted(record, 1)))
                        .hasMessage("killed");
            }
            try (SqliteRecord file = SqliteRecord.open(path)) {
                file.handOverBoxes(record);
            }
            BoxRows brought = record.rows();
            assertThat(brought.boxes()).containsOnlyKeys("b1", "b2", "b3");
            assertThat(brought.box("b2"))
                    .isEqualTo(box("b2", "n2", Optional.empty()).numbered(2));
            assertThat(brought.snapshots()).containsOnlyKeys("s1");
            assertThat(brought.hostBoot()).isEqualTo("the boot");
            record.apply(new BoxCommand.Rename("b1", "another"));
            try (SqliteRecord file = SqliteRecord.open(path)) {
                file.handOverBoxes(record);
            }
            assertThat(record.rows().box("b1").name()).isEqualTo("another");
        }
    }

    /** Ends after so many commands, as a killed server does. */
    private record Interrupted(BoxRecord real, int commands, java.util.concurrent.atomic.AtomicInteger done)
            implements BoxRecord {
        Interrupted(BoxRecord real, int commands) {
            this(real, commands, new java.util.concurrent.atomic.AtomicInteger());
        }

        @Override
        public BoxRows rows() {
            return real.rows();
        }

        @Override
        public Outcome apply(BoxCommand command) {
            Outcome outcome = real.apply(command);
            if (done.incrementAndGet() == commands) {
                throw new IllegalStateException("killed");
            }
            return outcome;
        }
    }

    @Test
    void everyCommandCanBeWrittenAndRead() {
        assertThat(BoxCommands.types())
                .containsExactlyInAnyOrderElementsOf(List.of(BoxCommand.class.getPermittedSubclasses()));
        Random random = new Random(7);
        for (int i = 0; i < 200; i++) {
            BoxCommand command = command(random);
            assertThat(BoxCommands.read(BoxCommands.write(command))).isEqualTo(command);
        }
        RequestKey key = new RequestKey("me", "k", "r");
        BoxCommand reserve = new BoxCommand.Reserve(
                List.of(box("b1", "n", Optional.empty())),
                List.of(Allowance.ofBoxes(3, "this", "that")),
                Optional.of(key));
        assertThat(BoxCommands.read(BoxCommands.write(reserve))).isEqualTo(reserve);
    }

    private static BoxCommand.Reserve reserve(String id, String name, Optional<RequestKey> key, Instant at) {
        BoxRow row = box(id, name, Optional.empty());
        BoxRow dated = new BoxRow(
                row.id(),
                row.owner(),
                0,
                row.machineId(),
                row.image(),
                row.source(),
                row.forkedFrom(),
                at,
                0,
                0,
                row.settings(),
                row.condition());
        return new BoxCommand.Reserve(List.of(dated), List.of(Allowance.ofBoxes(3, "this test", "Ask.")), key);
    }

    @Test
    void aRepeatedRequestMakesNothingNewUntilItIsForgotten() {
        BoxRows rows = BoxRows.none();
        Optional<RequestKey> key = Optional.of(new RequestKey("me", "k1", "hash"));
        rows = rows.after(BoxDecisions.of(rows, reserve("b1", "one", key, NOW)));
        BoxRows once = rows;
        BoxCommand again = reserve("b2", "two", key, NOW.plusSeconds(5));
        assertThat(BoxDecisions.of(once, again)).isEmpty();
        assertThat(BoxDecisions.outcome(once, again).boxes()).containsExactly("b1");
        assertThat(BoxDecisions.outcome(once, again).before()).isTrue();
        BoxCommand other = reserve("b2", "two", Optional.of(new RequestKey("me", "k1", "another hash")), NOW);
        assertCode(ErrorCode.ALREADY_EXISTS, () -> BoxDecisions.of(once, other));
        Optional<RequestKey> somebodyElse = Optional.of(new RequestKey("you", "k1", "another hash"));
        assertThat(BoxDecisions.of(once, reserve("b2", "two", somebodyElse, NOW)))
                .isNotEmpty();
        // A day later, with any other request.
        Optional<RequestKey> later = Optional.of(new RequestKey("me", "k2", "hash"));
        BoxRows next = once.after(BoxDecisions.of(
                once,
                reserve("b3", "three", later, NOW.plus(RequestKey.REMEMBERED).plusSeconds(1))));
        assertThat(next.keys()).containsOnlyKeys("me k2");
    }

    @Test
    void aRequestThatCameToNothingMayBeRepeated() {
        Optional<RequestKey> key = Optional.of(new RequestKey("me", "k1", "hash"));
        BoxRows rows = BoxRows.none().after(BoxDecisions.of(BoxRows.none(), reserve("b1", "one", key, NOW)));
        assertThat(rows.after(BoxDecisions.of(rows, new BoxCommand.Remove(List.of("b1"))))
                        .keys())
                .isEmpty();
        assertThat(rows.after(BoxDecisions.of(rows, new BoxCommand.Doom(List.of("b1"), NOW)))
                        .keys())
                .isEmpty();
        BoxRows made = rows.after(BoxDecisions.of(rows, BoxCommand.Made.of(List.of("b1"), 1, 1, NOW)));
        assertThat(made.after(BoxDecisions.of(made, new BoxCommand.Doom(List.of("b1"), NOW)))
                        .keys())
                .hasSize(1);
    }

    @Test
    void nobodyExceedsAnAllowanceHoweverManyTryAtOnce() {
        try (TestingBoxRecord record = new TestingBoxRecord(folder)) {
            List<java.util.concurrent.CompletableFuture<Boolean>> all = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                String id = "b" + i;
                all.add(java.util.concurrent.CompletableFuture.supplyAsync(
                        () -> !refuses(record, reserve(id, "n" + id, Optional.empty(), NOW)),
                        Thread::startVirtualThread));
            }
            assertThat(all.stream()
                            .filter(java.util.concurrent.CompletableFuture::join)
                            .count())
                    .isEqualTo(3);
            assertThat(record.rows().boxes()).hasSize(3);
            assertThatThrownBy(() -> record.apply(reserve("c", "c", Optional.empty(), NOW)))
                    .isInstanceOfSatisfying(BoxdException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.QUOTA_EXCEEDED);
                        assertThat(e)
                                .hasMessage("1 more boxes would be too many: this test may have 3, and there are 3");
                        assertThat(e.hint()).isEqualTo("Ask.");
                    });
        }
    }

    /** The same commands make the same rows, whether they succeed or are refused. */
    @Test
    void theSameCommandsMakeTheSameRows() {
        Random random = new Random(11);
        List<BoxCommand> commands = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            commands.add(command(random));
        }
        try (TestingBoxRecord first = new TestingBoxRecord(folder.resolve("one"));
                TestingBoxRecord second = new TestingBoxRecord(folder.resolve("two"))) {
            int refused = 0;
            BoxRows pure = BoxRows.none();
            for (BoxCommand command : commands) {
                boolean wasRefused = refuses(first, command);
                assertThat(refuses(second, command)).as("" + command).isEqualTo(wasRefused);
                refused += wasRefused ? 1 : 0;
                pure = wasRefused ? pure : pure.after(BoxDecisions.of(pure, command));
                assertThat(second.rows()).isEqualTo(first.rows()).isEqualTo(pure);
            }
            assertThat(refused).isBetween(1, commands.size() - 1);
            assertThat(second.rows()).isEqualTo(pure);
        }
    }

    private static boolean refuses(BoxRecord record, BoxCommand command) {
        try {
            record.apply(command);
            return false;
        } catch (BoxdException e) {
            return true;
        }
    }

    private static BoxCommand command(Random random) {
        String id = "b" + random.nextInt(6);
        String snapshot = "s" + random.nextInt(6);
        Instant at = NOW.plusSeconds(random.nextInt(1000));
        return switch (random.nextInt(10)) {
            case 0, 1, 2 -> BoxCommand.Reserve.of(List.of(box(id, "n" + random.nextInt(6), Optional.of("b0"))));
            case 3 -> BoxCommand.Made.of(List.of(id), 1, 2, at);
            case 4 -> new BoxCommand.Settle(id, STANDINGS.get(random.nextInt(STANDINGS.size())), "r", at);
            case 5 -> new BoxCommand.Rename(id, "n" + random.nextInt(6));
            case 6 -> BoxCommand.Keep.of(kept(snapshot, id, Optional.empty()));
            case 7 ->
                new BoxCommand.Intend(
                        id,
                        new Intent(Optional.of(snapshot), Optional.empty(), snapshot, 3),
                        kept(snapshot, id, Optional.empty()));
            case 8 -> new BoxCommand.Abandon(id);
            default -> new BoxCommand.Remove(List.of(id));
        };
    }
}
