package io.boxd.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Files of a ledger that are not what they were: refused by name, or it did not matter; never passed over. */
@Tag("unit")
final class DamageTest {
    private static final boolean LONG = Boolean.getBoolean("boxd.test.long");

    @TempDir
    private static Path home;

    /** As a server left it that was killed, with two snapshots and a log of several files. */
    private static LedgerConfig whole;

    private static Map<String, Long> counts = Map.of();
    private static int copies;

    @BeforeAll
    static void aKilledServer() throws IOException {
        whole = TestingLedger.config(home).withSnapshotEntries(1_000_000);
        for (int round = 0; round < 3; round++) {
            CountingBook book = new CountingBook();
            try (Ledger ledger = TestingLedger.open(whole, book)) {
                for (int i = 0; i < 12; i++) {
                    TestingLedger.add(ledger, "n" + i);
                }
                counts = book.counts();
                if (round == 2) {
                    copy(whole.folder(), home.resolve("killed"));
                }
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> tree = Files.walk(from)) {
            for (Path path : tree.toList()) {
                Files.copy(path, to.resolve(from.relativize(path)));
            }
        }
    }

    private static LedgerConfig fresh() throws IOException {
        Path folder = home.resolve("copy-" + copies++);
        copy(home.resolve("killed"), folder);
        return LedgerConfig.local(folder, whole.authority()).withSnapshotEntries(1_000_000);
    }

    private static List<Path> files(LedgerConfig config) throws IOException {
        try (Stream<Path> tree = Files.walk(config.folder())) {
            return tree.filter(Files::isRegularFile)
                    .filter(path -> !List.of("lock", "reserve", "in_use.lock", "state.db-shm")
                            .contains(path.getFileName().toString()))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void aKilledServersFilesAreOpened() throws IOException {
        LedgerConfig config = fresh();
        assertThat(files(config).stream()
                        .map(path -> path.getFileName().toString().replaceAll("\\d+", "N")))
                .contains("state.db", "state-N", "log_N-N", "log_inprogress_N", "raft-meta", "raft-meta.conf");
        assertWhole(config);
    }

    private static void assertWhole(LedgerConfig config) {
        CountingBook book = new CountingBook();
        try (Ledger ledger = TestingLedger.open(config, book)) {
            assertThat(book.counts()).isEqualTo(counts);
            assertThat(TestingLedger.add(ledger, "n0")).isEqualTo("4");
        }
    }

    /** One way to damage a file, and whether it can be harmless. */
    private record Harm(String name, boolean mayNotMatter, Change change) {}

    private interface Change {
        void apply(Path file, Random random) throws IOException;
    }

    private static final List<Harm> HARMS = List.of(
            new Harm("missing", false, (file, _) -> Files.delete(file)),
            new Harm("empty", false, (file, _) -> Files.write(file, new byte[0])),
            new Harm("half", false, (file, _) -> {
                byte[] bytes = Files.readAllBytes(file);
                Files.write(file, java.util.Arrays.copyOf(bytes, contentEnd(bytes) / 2));
            }),
            new Harm("flipped", true, DamageTest::flip),
            new Harm("flipped elsewhere", true, DamageTest::flip),
            new Harm("flipped in a third place", true, DamageTest::flip));

    private static int contentEnd(byte[] bytes) {
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        return end;
    }

    private static void flip(Path file, Random random) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[random.nextInt(contentEnd(bytes))] ^= (byte) (1 << random.nextInt(8));
        Files.write(file, bytes);
    }

    @TestFactory
    List<DynamicTest> eachFileInEachWay() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        List<Path> all = files(fresh());
        Random random = new Random(20_261_118);
        for (int i = 0; i < all.size(); i++) {
            int number = i;
            for (Harm harm : HARMS.subList(0, LONG ? HARMS.size() : HARMS.size() - 2)) {
                long seed = random.nextLong();
                String name = all.get(i).getFileName() + " " + harm.name();
                tests.add(DynamicTest.dynamicTest(name, () -> check(number, harm, new Random(seed))));
            }
        }
        return tests;
    }

    private static void check(int number, Harm harm, Random random) throws IOException {
        LedgerConfig config = fresh();
        Path file = files(config).get(number);
        String name = file.getFileName().toString();
        harm.change().apply(file, random);
        CountingBook book = new CountingBook();
        try (Ledger ledger = TestingLedger.open(config, book)) {
            // What SQLite has not merged yet is in the log, too.
            assertThat(harm.mayNotMatter() || name.equals("state.db-wal"))
                    .as("%s of %s is refused", harm.name(), file)
                    .isTrue();
            assertThat(book.counts()).isEqualTo(counts);
            assertThat(ledger.index()).isPositive();
        } catch (BoxdException e) {
            assertThat(e.getMessage()).contains(config.folder().toString());
            assertThat(e.hint()).as(e.getMessage()).contains("boxd state restore");
            assertRestorable(config);
        }
    }

    /** Whatever was damaged, something whole is left, and it goes on from there. */
    private static void assertRestorable(LedgerConfig config) {
        StateRestore.Restored back = StateRestore.run(config, List.of(new CountingBook()), Optional.empty());
        CountingBook book = new CountingBook();
        try (Ledger ledger = TestingLedger.open(config, book)) {
            if (back.lost() == 0) {
                assertThat(book.counts()).as("" + back).isEqualTo(counts);
            }
            assertThat(book.counts()).containsKeys("n0", "n11");
            TestingLedger.add(ledger, "after");
        }
        CountingBook again = new CountingBook();
        try (Ledger ledger = TestingLedger.open(config, again)) {
            assertThat(again.counts()).containsEntry("after", 1L);
            assertThat(ledger.index()).isGreaterThan(back.index());
        }
    }

    private static Segment open(LedgerConfig config) {
        return Segment.in(config.log().current()).getLast();
    }

    /** Where each entry of a file of the log begins. */
    private static List<Integer> offsets(Segment segment) {
        List<Integer> offsets = new ArrayList<>(List.of(8));
        segment.read(true, _ -> false, entry -> offsets.add(offsets.getLast() + frameBytes(entry)));
        return offsets;
    }

    private static int frameBytes(LogEntryProto entry) {
        int size = entry.getSerializedSize();
        return size + (size < 128 ? 1 : 2) + 4;
    }

    private static void assertRefused(LedgerConfig config, String what) {
        assertThatThrownBy(() -> TestingLedger.open(config, new CountingBook()))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining(what);
    }

    @Test
    void swappedEntriesAreRefused() throws IOException {
        LedgerConfig config = fresh();
        Segment segment = open(config);
        List<Integer> at = offsets(segment);
        byte[] bytes = Files.readAllBytes(segment.file());
        byte[] swapped = bytes.clone();
        int first = at.get(2);
        int second = at.get(3);
        int end = at.get(4);
        System.arraycopy(bytes, second, swapped, first, end - second);
        System.arraycopy(bytes, first, swapped, first + end - second, second - first);
        Files.write(segment.file(), swapped);
        assertRefused(config, segment.file().toString());
    }

    @Test
    void swappedFilesAreRefused() throws IOException {
        LedgerConfig config = fresh();
        List<Segment> all = Segment.in(config.log().current());
        Path one = all.get(all.size() - 2).file();
        Path other = all.getLast().file();
        byte[] bytes = Files.readAllBytes(one);
        Files.write(one, Files.readAllBytes(other));
        Files.write(other, bytes);
        assertRefused(config, config.log().current().toString());
    }

    /** Somebody who knows the format: the sum of the entry is right, but the state did not follow from it. */
    @Test
    void aForgedEntryIsRefused() throws IOException {
        LedgerConfig config = fresh();
        Segment segment = open(config);
        List<Integer> at = offsets(segment);
        byte[] bytes = Files.readAllBytes(segment.file());
        int from = at.get(2);
        int sumAt = at.get(3) - 4;
        int digit = sumAt - 1;
        while (bytes[digit] != '"' || bytes[digit - 1] != '1') {
            digit--;
        }
        bytes[digit - 1] = '7';
        CRC32C sum = new CRC32C();
        sum.update(bytes, from, sumAt - from);
        ByteBuffer.wrap(bytes).putInt(sumAt, (int) sum.getValue());
        Files.write(segment.file(), bytes);
        assertRefused(config, "not those the state follows from");
    }

    /** What nobody was told of may be torn: the power went while it was written. */
    @Test
    void aTornEndThatNobodyWasToldOfIsCutOff() throws IOException {
        for (int sectors = 0; sectors < 4; sectors++) {
            LedgerConfig config = fresh();
            Segment segment = open(config);
            int end = offsets(segment).getLast();
            int kept = 512 - end % 512 + sectors * 512;
            byte[] bytes = Files.readAllBytes(segment.file());
            byte[] entry = new byte[1800];
            new Random(kept).nextBytes(entry);
            entry[0] = (byte) 0x80;
            entry[1] = (byte) 0x0e;
            System.arraycopy(entry, 0, bytes, end, kept);
            Files.write(segment.file(), bytes);
            assertWhole(config);
        }
    }

    /** A whole entry with one wrong bit is no torn one, even if the state has not seen it yet. */
    @Test
    void redControlAWrongBitInTheLastEntryIsNotTakenForATornEnd() throws IOException {
        LedgerConfig config = fresh();
        Segment segment = open(config);
        List<Integer> at = offsets(segment);
        byte[] bytes = Files.readAllBytes(segment.file());
        bytes[at.getLast() - 10] ^= 4;
        Files.write(segment.file(), bytes);
        Segment damaged = open(config);
        assertThatThrownBy(() -> damaged.read(true, _ -> true, _ -> {}))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("not what was written");
    }

    @Test
    void withoutAnythingWholeNothingIsTouched() throws IOException {
        LedgerConfig config = fresh();
        for (Path file : files(config)) {
            if (file.getFileName().toString().startsWith("state")) {
                Files.write(file, new byte[10]);
            }
        }
        List<Path> before = files(config);
        assertThatThrownBy(() -> StateRestore.run(config, List.of(new CountingBook()), Optional.empty()))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("neither the state nor any snapshot");
        assertThat(files(config)).isEqualTo(before);
    }
}
