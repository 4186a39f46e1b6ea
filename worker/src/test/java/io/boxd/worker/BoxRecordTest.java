package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
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

    private static BoxRow box(String id, String name, Optional<String> parent) {
        BoxSettings settings = new BoxSettings(
                name,
                Map.of("k", "v"),
                Map.of("A", "b"),
                TestingBoxes.SMALL,
                new SleepRules(Duration.ofSeconds(30), Duration.ofMinutes(10)),
                -1,
                Optional.of(NOW.plusSeconds(9)));
        return new BoxRow(
                id,
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
        return new KeptRow(snapshot, 0, "instant-" + id, false, "tiny", TestingBoxes.SMALL, Map.of());
    }

    private static void assertCode(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void namesAndLabelsAreTakenOnceAndAFailedCommandChangesNothing() {
        try (SqliteRecord file = SqliteRecord.open(folder.resolve("record.db"))) {
            BoxRecord record = file.boxes();
            record.apply(new BoxCommand.Reserve(List.of(box("b1", "one", Optional.empty()))));
            BoxRows before = record.rows();
            assertCode(
                    ErrorCode.ALREADY_EXISTS,
                    () -> record.apply(new BoxCommand.Reserve(
                            List.of(box("b2", "two", Optional.empty()), box("b3", "one", Optional.empty())))));
            assertThat(record.rows()).isEqualTo(before);
            record.apply(new BoxCommand.Reserve(List.of(box("b2", "two", Optional.of("b1")))));
            assertCode(ErrorCode.ALREADY_EXISTS, () -> record.apply(new BoxCommand.Rename("b2", "one")));
            record.apply(new BoxCommand.Keep(kept("s1", "b1", Optional.of("golden"))));
            assertCode(
                    ErrorCode.ALREADY_EXISTS,
                    () -> record.apply(new BoxCommand.Keep(kept("s2", "b1", Optional.of("golden")))));
            assertCode(ErrorCode.NOT_FOUND, () -> record.apply(new BoxCommand.Rename("b9", "nine")));
            assertThat(record.rows().tree("b1")).containsExactly("b1", "b2");
        }
    }

    @Test
    void whatWasAppliedIsThereAfterReopeningAndLabelledSnapshotsOutliveTheirBox() {
        Path path = folder.resolve("record.db");
        BoxRows before;
        try (SqliteRecord file = SqliteRecord.open(path)) {
            BoxRecord record = file.boxes();
            record.apply(new BoxCommand.Reserve(List.of(box("b1", "one", Optional.empty()))));
            record.apply(new BoxCommand.Made(List.of("b1"), 3, 4, NOW));
            record.apply(new BoxCommand.Keep(kept("s1", "b1", Optional.of("golden"))));
            record.apply(new BoxCommand.Keep(kept("s2", "b1", Optional.empty())));
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
        try (SqliteRecord file = SqliteRecord.open(path)) {
            BoxRecord record = file.boxes();
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
        try (Connection old = DriverManager.getConnection("jdbc:sqlite:" + path);
                Statement statement = old.createStatement()) {
            statement.execute("CREATE TABLE machines"
                    + " (id TEXT PRIMARY KEY, machine_id TEXT NOT NULL UNIQUE, facts TEXT NOT NULL) STRICT");
            statement.execute("CREATE TABLE snapshots"
                    + " (id TEXT PRIMARY KEY, machine_id TEXT NOT NULL, facts TEXT NOT NULL) STRICT");
            statement.execute("PRAGMA user_version = 1");
        }
        try (SqliteRecord file = SqliteRecord.open(path)) {
            assertThat(file.rows().machines()).isEmpty();
            file.boxes().apply(new BoxCommand.Reserve(List.of(box("b1", "one", Optional.empty()))));
            assertThat(file.boxes().rows().boxes()).containsOnlyKeys("b1");
        }
    }

    /** The same commands make the same rows, whether they succeed or are refused. */
    @Test
    void theSameCommandsMakeTheSameRows() {
        Random random = new Random(11);
        List<BoxCommand> commands = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            commands.add(command(random));
        }
        try (SqliteRecord one = SqliteRecord.open(folder.resolve("one.db"));
                SqliteRecord two = SqliteRecord.open(folder.resolve("two.db"))) {
            BoxRecord first = one.boxes();
            BoxRecord second = two.boxes();
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
            assertThat(two.boxes().rows()).isEqualTo(pure);
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
            case 0, 1, 2 -> new BoxCommand.Reserve(List.of(box(id, "n" + random.nextInt(6), Optional.of("b0"))));
            case 3 -> new BoxCommand.Made(List.of(id), 1, 2, at);
            case 4 -> new BoxCommand.Settle(id, STANDINGS.get(random.nextInt(STANDINGS.size())), "r", at);
            case 5 -> new BoxCommand.Rename(id, "n" + random.nextInt(6));
            case 6 -> new BoxCommand.Keep(kept(snapshot, id, Optional.empty()));
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
