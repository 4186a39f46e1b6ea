package io.boxd.trials;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestMethodOrder;

/** Files of the state that are not what they were: no server starts, which says what to do, and that works. */
@Tag("machine")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DamagedStateTest {
    private static final String NOTE = "/tmp/note";

    /** What the row of the box has in it: its label. */
    private static final String ROW = "turn";

    @SuppressWarnings("NullAway.Init")
    private static Instance instance;

    /** Each server writes a file of the log; one that was killed has kept no snapshot that would make it needless. */
    @BeforeAll
    static void aServerThatWasKilled() throws IOException {
        instance = Instance.tiny();
        instance.must("./boxd up");
        instance.must("./boxd new --name a --label turn=1 && ./boxd exec a 'echo kept > " + NOTE + "'");
        instance.must("./boxd down");
        for (String line : List.of("label a turn=2", "org create red", "label a turn=3")) {
            instance.must("./boxd up && ./boxd " + line);
            instance.killServer();
        }
        instance.must("cp -a home/state whole");
    }

    @AfterAll
    static void close() throws IOException {
        if (!instance.type("./boxd up").succeeded()) {
            putBack();
        }
        instance.close();
    }

    private static void putBack() {
        FileOwner.deleteTree(state());
        instance.must("cp -a whole home/state");
    }

    private static Path state() {
        return instance.home().resolve("state");
    }

    private static List<Path> files(String pattern) throws IOException {
        try (Stream<Path> tree = Files.walk(state())) {
            return tree.filter(Files::isRegularFile)
                    .filter(path -> path.getFileName().toString().matches(pattern))
                    .sorted()
                    .toList();
        }
    }

    private interface Harm {
        void to(Path file) throws IOException;
    }

    private static byte[] content(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int end = bytes.length;
        // Files of the log are made larger than what is in them.
        while (end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        return Arrays.copyOf(bytes, end);
    }

    private static void truncate(Path file) throws IOException {
        byte[] bytes = content(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
    }

    private static void flip(Path file) throws IOException {
        int middle = content(file).length / 2;
        byte[] bytes = Files.readAllBytes(file);
        bytes[middle] ^= 1;
        Files.write(file, bytes);
    }

    /** A bit of every copy of a row; which of them counts, and what else in the file does, is for SQLite to know. */
    private static void flipRow(Path database) throws IOException {
        byte[] bytes = Files.readAllBytes(database);
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int copies = 0;
        for (int at = text.indexOf(ROW); at >= 0; at = text.indexOf(ROW, at + 1)) {
            bytes[at] ^= 1;
            copies++;
        }
        assertThat(copies).as("copies of the row").isPositive();
        Files.write(database, bytes);
    }

    /** What one file held is in the other. */
    private static void swap(Path one, Path other) throws IOException {
        byte[] kept = Files.readAllBytes(one);
        Files.write(one, Files.readAllBytes(other));
        Files.write(other, kept);
    }

    @Order(1)
    @TestFactory
    List<DynamicTest> noServerStartsOnDamage() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        Path database = state().resolve("state.db");
        List<Path> log = files("log_\\d+-\\d+");
        Path last = files("log_inprogress_\\d+").getFirst();
        Path snapshot = files("state-\\d+").getLast();
        assertThat(log).as("finished files of the log").hasSizeGreaterThan(1);
        tests.add(refused("truncated", database, DamagedStateTest::truncate));
        tests.add(refused("flipped", last, DamagedStateTest::flip));
        tests.add(refused("reordered", log.getLast(), file -> swap(log.getFirst(), file)));
        if (Instance.LONG) {
            tests.add(refused("truncated", log.getLast(), DamagedStateTest::truncate));
            tests.add(refused("flipped", log.getLast(), DamagedStateTest::flip));
            tests.add(refused("missing", last, Files::delete));
            tests.add(refused("truncated", snapshot, DamagedStateTest::truncate));
            tests.add(refused("flipped", snapshot, DamagedStateTest::flip));
        }
        return tests;
    }

    private static DynamicTest refused(String how, Path file, Harm harm) {
        return DynamicTest.dynamicTest(file.getFileName() + " " + how, () -> {
            putBack();
            harm.to(file);
            String damaged = sums(file);
            var up = instance.type("./boxd up");
            assertThat(up.status()).as(up.errors()).isNotZero();
            assertThat(up.errors()).contains("home/state/", "boxd state restore");
            if (!how.equals("reordered")) {
                assertThat(up.errors()).contains(file.getFileName().toString());
            }
            assertThat(sums(file)).as("nothing was changed").isEqualTo(damaged);
            assertThat(emulators()).as("boxes run on").isPositive();
        });
    }

    /** Of all files; a whole database may take in what SQLite has not merged into it before. */
    private static String sums(Path damaged) {
        String whole = damaged.endsWith("state.db") ? "*-shm" : "state.db*";
        return instance.must(
                "cd home && find state -type f ! -name lock ! -name '" + whole + "' | sort | xargs sha256sum");
    }

    private static long emulators() throws IOException {
        return instance.processes().values().stream()
                .filter(line -> line.contains("qemu"))
                .count();
    }

    /** Whole again, it is as if nothing had happened. */
    @Order(2)
    @Test
    void theWholeStateIsOpened() {
        putBack();
        instance.must("./boxd up");
        assertThat(turn()).isEqualTo("3");
        assertThat(instance.must("./boxd exec a 'cat " + NOTE + "'")).isEqualTo("kept\n");
        instance.must("./boxd label a turn=4 && ./boxd down");
    }

    /** The state is gone, but not what it was made of. */
    @Order(3)
    @Test
    void theLastGoodSnapshotAndTheLogBringItBack() throws IOException {
        flipRow(state().resolve("state.db"));
        assertThat(instance.type("./boxd up").errors()).contains("state.db", "boxd state restore");
        assertThat(instance.must("./boxd state restore")).contains("is back", "Nothing is lost");
        instance.must("./boxd up");
        assertThat(turn()).isEqualTo("4");
        assertThat(instance.must("./boxd exec a 'cat " + NOTE + "'"))
                .as("the box never stopped")
                .isEqualTo("kept\n");
        assertThat(instance.json("./boxd org list --json")).hasSize(1);
    }

    /** Neither the state nor the log is whole: what is lost is said. */
    @Order(4)
    @Test
    void withoutTheLogTheLastGoodSnapshotIsWhatThereIs() throws IOException {
        instance.must("./boxd down && ./boxd up && ./boxd label a turn=5");
        instance.killServer();
        truncate(state().resolve("state.db"));
        for (Path file : files("log_.*")) {
            flip(file);
        }
        assertThat(instance.type("./boxd up").status()).isNotZero();
        assertThat(instance.must("./boxd state restore")).contains("is back", "The log could not be used");
        instance.must("./boxd up");
        assertThat(turn()).as("what the snapshot knew").isEqualTo("4");
        assertThat(instance.must("./boxd exec a 'cat " + NOTE + "'")).isEqualTo("kept\n");
    }

    private static String turn() {
        return instance.json("./boxd info a --json").path("labels").path("turn").asString();
    }
}
