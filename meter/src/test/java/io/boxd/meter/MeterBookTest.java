package io.boxd.meter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Boxes that are only numbers, used at random and metered by servers that end at random: the sums are exact. */
@Tag("unit")
final class MeterBookTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final long MIB = 1L << 20;
    private static final int STEPS = 150;

    @TempDir
    private Path folder;

    /** How a server that is wrong differs from one that is right; for the red controls. */
    private enum Mistake {
        NONE,
        /** Believes that counters begin at nothing whenever a server does. */
        FORGETS_COUNTERS,
        /** Believes that there is one machine for ever. */
        FORGETS_MACHINES,
        /** Believes that a box runs until it is looked at. */
        FORGETS_SLEEP
    }

    /** A box whose use is known. */
    private static final class Known {
        private final String id;
        private final String owner;
        private int machine;
        private boolean awake;
        private long counted;
        private Consumption truth = Consumption.none();

        Known(String id, String owner) {
            this.id = id;
            this.owner = owner;
        }

        void live(long millis, Random random) {
            long work = awake ? random.nextInt(1000) : 0;
            counted += work;
            truth = truth.plus(
                    new Consumption(work, awake ? 10 * millis : 0, 3 * millis, awake ? 2 * work : 0, awake ? work : 0));
        }

        Reading read(Instant at, boolean ran, Mistake mistake, int server) {
            String epoch = switch (mistake) {
                case NONE, FORGETS_SLEEP -> "m" + machine;
                case FORGETS_COUNTERS -> "m" + machine + "-" + server;
                case FORGETS_MACHINES -> "m";
            };
            Optional<Counters> counters =
                    machine == 0 ? Optional.empty() : Optional.of(new Counters(epoch, counted, 2 * counted, counted));
            boolean until = mistake == Mistake.FORGETS_SLEEP || ran;
            return new Reading(id, owner, Optional.of("red"), at, until, awake, counters, 10 * MIB, 3 * MIB, false);
        }
    }

    private List<Used> metered(long seed, Mistake mistake, Map<String, Consumption> truth) {
        Random random = new Random(seed);
        Path file = folder.resolve(mistake + "-" + seed + ".db");
        List<Known> boxes = List.of(new Known("bx_1", "ada"), new Known("bx_2", "ada"), new Known("bx_3", "bob"));
        Instant now = NOON;
        int server = 0;
        MeterBook book = MeterBook.open(file);
        for (Known box : boxes) {
            book.take(List.of(box.read(now, false, mistake, server)));
        }
        for (int step = 0; step < STEPS; step++) {
            long millis = 1L + random.nextInt(100_000);
            now = now.plusMillis(millis);
            for (Known box : boxes) {
                box.live(millis, random);
            }
            List<Reading> readings = new ArrayList<>();
            for (Known box : boxes) {
                boolean ran = box.awake;
                if (random.nextInt(3) == 0) {
                    // Whatever ends a machine, its counters are looked at once more.
                    readings.add(box.read(now, ran, mistake, server));
                    box.awake = !box.awake;
                    if (box.awake && random.nextBoolean()) {
                        box.machine++;
                        box.counted = 0;
                    }
                    if (box.machine == 0) {
                        box.machine = 1;
                    }
                    readings.add(box.read(now, false, mistake, server));
                } else {
                    readings.add(box.read(now, ran, mistake, server));
                }
            }
            book.take(readings);
            if (random.nextInt(10) == 0) {
                book.close();
                server++;
                book = MeterBook.open(file);
            }
        }
        boxes.forEach(box -> truth.put(box.id, box.truth));
        List<Used> used = book.since(Instant.EPOCH);
        book.close();
        return used;
    }

    private Map<String, Consumption> sums(List<Used> used) {
        Map<String, Consumption> sums = new HashMap<>();
        used.forEach(one -> sums.merge(one.box(), one.consumption(), Consumption::plus));
        return sums;
    }

    @Test
    void whatIsAddedUpIsWhatWasUsedAcrossMachinesServersAndSleep() {
        for (long seed = 0; seed < 4; seed++) {
            Map<String, Consumption> truth = new HashMap<>();
            List<Used> used = metered(seed, Mistake.NONE, truth);
            assertThat(sums(used)).as("seed %d", seed).isEqualTo(truth);
            assertThat(used).allSatisfy(one -> assertThat(one.organisation()).contains("red"));
        }
    }

    /** Red controls: each mistake shows. */
    @Test
    void mistakesShow() {
        for (Mistake mistake : List.of(Mistake.FORGETS_COUNTERS, Mistake.FORGETS_MACHINES, Mistake.FORGETS_SLEEP)) {
            Map<String, Consumption> truth = new HashMap<>();
            assertThat(sums(metered(5, mistake, truth))).as("%s", mistake).isNotEqualTo(truth);
        }
    }

    private static Reading one(Instant at, long nanos, boolean last) {
        Counters counters = new Counters("m", nanos, 0, 0);
        return new Reading("bx", "ada", Optional.empty(), at, true, true, Optional.of(counters), MIB, MIB, last);
    }

    private static void execute(Path file, String statement) throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement sql = other.createStatement()) {
            sql.execute(statement);
        }
    }

    /** As if the server had been killed in the middle: either everything of a transaction is there, or nothing. */
    @Test
    void aFailedTransactionIsTakenAgainAndCountsOnce() throws SQLException {
        Path file = folder.resolve("m.db");
        try (MeterBook book = MeterBook.open(file)) {
            book.take(List.of(one(NOON, 5, false)));
            List<Reading> two = List.of(one(NOON.plusSeconds(1), 7, false), one(NOON.plusSeconds(1), 9, false));
            execute(
                    file,
                    "CREATE TRIGGER full BEFORE UPDATE ON used WHEN NEW.cpu_nanos = 9"
                            + " BEGIN SELECT RAISE(ABORT, 'no room'); END");
            assertThatThrownBy(() -> book.take(two))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("no room");
            assertThat(book.state("bx").orElseThrow().counters().orElseThrow().cpuNanos())
                    .isEqualTo(5);
            execute(file, "DROP TRIGGER full");
            book.take(two);
            assertThat(book.since(NOON))
                    .extracting(Used::consumption)
                    .containsExactly(new Consumption(9, 1000, 1000, 0, 0));
        }
    }

    @Test
    void aBoxThatIsGoneLeavesWhatItUsed() {
        try (MeterBook book = MeterBook.open(folder.resolve("m.db"))) {
            book.take(List.of(one(NOON, 5, false)));
            book.take(List.of(one(NOON.plusSeconds(2), 8, true)));
            assertThat(book.boxes()).isEmpty();
            assertThat(book.since(NOON)).hasSize(1);
            assertThat(book.since(NOON.plusSeconds(3600))).isEmpty();
        }
    }

    @Test
    void aDamagedFileIsRefusedWithWhatToDo() throws IOException {
        Path file = folder.resolve("m.db");
        Files.writeString(file, "this is no database, though it is long enough to look at".repeat(100));
        assertThatThrownBy(() -> MeterBook.open(file))
                .isInstanceOfSatisfying(
                        BoxdException.class,
                        e -> assertThat(e.getMessage() + e.hint()).contains("m.db", "move it away"));
    }
}
