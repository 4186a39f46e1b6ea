package io.boxd.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.chronicle.AuditVerifier.Check;
import io.boxd.chronicle.Verification.Kind;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is done to the files of an audit is found; with a check left out, something is not. */
@Tag("unit")
final class AuditDamageTest {
    @TempDir
    private Path home;

    private NumberedFiles files;
    private List<Integer> numbers;

    @BeforeEach
    void fill() throws IOException {
        write("box");
        files = new NumberedFiles(AuditSample.folder(home), AuditLog.NAME);
        numbers = files.numbers();
        assertThat(numbers).hasSizeGreaterThanOrEqualTo(2);
        assertThat(findings(Check.all())).isEmpty();
    }

    /** Several files of a few lines each, which take no time to read again and again. */
    private void write(String box) {
        Audit.Rhythm small = new Audit.Rhythm(Duration.ofMillis(5), 16, 64, Duration.ofSeconds(5), 1000);
        try (Audit audit = Audit.open(AuditSample.folder(home), AuditSample.seal(home), small)) {
            for (int i = 0; i < 6; i++) {
                audit.noteSurely(AuditSample.deed("pause", box + i));
                assertThat(audit.settled(AuditSample.soon()).alone()).isTrue();
            }
        }
    }

    private List<Kind> findings(Set<Check> checks) {
        Verification found = new AuditVerifier(AuditSample.folder(home), AuditSample.seal(home), checks)
                .verify(true, AuditSample.soon());
        return found.findings().stream().map(Verification.Finding::kind).toList();
    }

    private static Set<Check> without(Check check) {
        return EnumSet.complementOf(EnumSet.of(check));
    }

    /** A change to a file, and everything as it was afterwards. */
    private interface Damage {
        void to(Path file) throws IOException;
    }

    private List<Kind> after(Path file, Damage damage, Set<Check> checks) throws IOException {
        byte[] before = Files.readAllBytes(file);
        damage.to(file);
        try {
            return findings(checks);
        } finally {
            Files.write(file, before);
        }
    }

    private List<Kind> lines(int number, java.util.function.UnaryOperator<List<String>> change, Set<Check> checks)
            throws IOException {
        return after(
                files.file(number),
                file -> Files.writeString(
                        file, String.join("\n", change.apply(new ArrayList<>(Files.readAllLines(file)))) + "\n"),
                checks);
    }

    @Test
    void everySingleByteCounts() throws IOException {
        List<Path> all = Stream.concat(
                        numbers.stream().map(files::file),
                        Stream.of(AuditSample.folder(home).resolve("head")))
                .toList();
        for (Path file : all) {
            byte[] before = Files.readAllBytes(file);
            for (int i = 0; i < before.length; i++) {
                byte[] changed = before.clone();
                changed[i] ^= (byte) (1 << (i % 7));
                Files.write(file, changed);
                assertThat(findings(Check.all()))
                        .as("byte %s of %s", i, file.getFileName())
                        .isNotEmpty();
            }
            Files.write(file, before);
        }
        assertThat(findings(Check.all())).isEmpty();
    }

    @Test
    void everyRemovedLineIsMissed() throws IOException {
        for (int number : numbers) {
            int count = Files.readAllLines(files.file(number)).size();
            for (int i = 0; i < count; i++) {
                int index = i;
                List<Kind> found = lines(
                        number,
                        list -> {
                            list.remove(index);
                            return list;
                        },
                        Check.all());
                assertThat(found).as("line %s of file %s", i, number).isNotEmpty();
                assertThat(found).containsAnyOf(Kind.MISSING, Kind.TRUNCATED);
            }
        }
    }

    @Test
    void everySwapIsFound() throws IOException {
        for (int number : numbers) {
            int count = Files.readAllLines(files.file(number)).size();
            for (int i = 0; i + 1 < count; i++) {
                int index = i;
                List<Kind> found = lines(
                        number,
                        list -> {
                            String one = list.get(index);
                            list.set(index, list.get(index + 1));
                            list.set(index + 1, one);
                            return list;
                        },
                        Check.all());
                assertThat(found).as("lines %s and next of file %s", i, number).contains(Kind.REORDERED);
            }
        }
    }

    @Test
    void everyCutTailIsFound() throws IOException {
        Path last = files.file(numbers.getLast());
        byte[] all = Files.readAllBytes(last);
        for (int length = 0; length < all.length; length++) {
            int keep = length;
            List<Kind> found = after(last, file -> Files.write(file, Arrays.copyOf(all, keep)), Check.all());
            assertThat(found).as("%s of %s bytes", length, all.length).contains(Kind.TRUNCATED);
        }
        List<Kind> gone = after(last, FileOwner::deleteTree, Check.all());
        assertThat(gone).contains(Kind.MISSING);
    }

    @Test
    void aDoubledAndAnInventedLineAreFound() throws IOException {
        assertThat(lines(
                        1,
                        list -> {
                            list.add(2, list.get(1));
                            return list;
                        },
                        Check.all()))
                .contains(Kind.INSERTED);
        Path last = files.file(numbers.getLast());
        List<String> there = Files.readAllLines(last);
        String end = there.getLast();
        long sequence = AuditTrailEnd.entry(end.getBytes(StandardCharsets.UTF_8))
                .orElseThrow()
                .sequence();
        String invented = end.replaceFirst("\"sequence\":\\d+", "\"sequence\":" + (sequence + 1))
                .replaceFirst(
                        "\"before\":\"[0-9a-f]+\"",
                        "\"before\":\"" + Sha256.of(end.getBytes(StandardCharsets.UTF_8)) + "\"");
        Files.writeString(last, invented + "\n", java.nio.file.StandardOpenOption.APPEND);
        try (Audit audit = AuditSample.open(home)) {
            Verification verification = audit.verify(AuditSample.soon());
            assertThat(verification.recovered())
                    .as("it was never sealed, and that is told")
                    .isEqualTo(1);
        }
    }

    @Test
    void aHistoryThatWasWrittenAnewFromSomePlaceIsNotTheSealedOne() throws IOException {
        byte[] head = Files.readAllBytes(AuditSample.folder(home).resolve("head"));
        FileOwner.deleteTree(AuditSample.folder(home));
        write("invented");
        Files.write(AuditSample.folder(home).resolve("head"), head);
        assertThat(findings(Check.all())).isNotEmpty();
        assertThat(findings(EnumSet.noneOf(Check.class))).isEmpty();
    }

    @Test
    void withoutTheLinksAChangedEntryWouldPass() throws IOException {
        Damage change = file -> Files.writeString(
                file, Files.readString(file).replaceFirst("\"verb\":\"pause\"", "\"verb\":\"about\""));
        assertThat(after(files.file(1), change, Check.all())).containsExactly(Kind.CHANGED);
        assertThat(after(files.file(1), change, without(Check.LINK))).isEmpty();
    }

    @Test
    void withoutTheSealACutTailWouldPass() throws IOException {
        Path last = files.file(numbers.getLast());
        Damage cut = file -> {
            List<String> all = Files.readAllLines(file);
            Files.writeString(file, String.join("\n", all.subList(0, all.size() - 1)) + "\n");
            FileOwner.deleteTree(AuditSample.folder(home).resolve("head"));
        };
        byte[] head = Files.readAllBytes(AuditSample.folder(home).resolve("head"));
        assertThat(after(last, cut, without(Check.SEAL))).isEmpty();
        assertThat(after(last, cut, Check.all())).containsExactly(Kind.UNSEALED);
        Files.write(AuditSample.folder(home).resolve("head"), head);
    }

    /** A server that starts after that writes a seal of its own, which must not hide it. */
    @Test
    void aCutTailWithoutASealIsToldForEverAlsoByTheServersThatFollow() throws IOException {
        Path last = files.file(numbers.getLast());
        List<String> all = Files.readAllLines(last);
        Files.writeString(last, String.join("\n", all.subList(0, all.size() - 1)) + "\n");
        FileOwner.deleteTree(AuditSample.folder(home).resolve("head"));
        for (int server = 0; server < 2; server++) {
            write("later" + server);
            assertThat(findings(Check.all())).containsExactly(Kind.UNSEALED);
            assertThat(findings(without(Check.SEAL))).as("only the seal tells").isEmpty();
        }
    }

    @Test
    void withoutTheNumbersAMovedEntryWouldBeCalledAChangedOne() throws IOException {
        java.util.function.UnaryOperator<List<String>> drop = list -> {
            list.remove(2);
            return list;
        };
        assertThat(lines(1, drop, Check.all())).contains(Kind.MISSING);
        assertThat(lines(1, drop, without(Check.SEQUENCE))).doesNotContain(Kind.MISSING);
    }
}
