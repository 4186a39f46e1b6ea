package io.boxd.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How deeds are written down, found again, and survive the ends of servers. */
@Tag("unit")
final class AuditTest {
    private static final AuditQuestion EVERYTHING =
            AuditSample.question(Optional.empty(), Optional.empty(), Optional.empty(), 1000);

    @TempDir
    private Path home;

    private Path file(int number) {
        return new NumberedFiles(AuditSample.folder(home), AuditLog.NAME).file(number);
    }

    private List<String> verbs(AuditQuestion question) {
        try (Audit audit = AuditSample.open(home)) {
            return audit.entries(question, AuditSample.soon()).stream()
                    .flatMap(entry -> entry.deed().stream())
                    .map(Deed::verb)
                    .toList();
        }
    }

    @Test
    void deedsAreNumberedChainedAndKeptForTheirOwnerOnly() throws IOException {
        try (Audit audit = AuditSample.open(home)) {
            audit.noteSurely(AuditSample.deed("new", "one"));
            audit.note(AuditSample.deed("exec", "one"));
            List<AuditEntry> entries = audit.entries(EVERYTHING, AuditSample.soon());
            assertThat(entries).extracting(AuditEntry::sequence).containsExactly(1L, 2L, 3L);
            assertThat(entries)
                    .extracting(AuditEntry::kind)
                    .containsExactly(AuditEntry.Kind.OPENED, AuditEntry.Kind.DEED, AuditEntry.Kind.DEED);
            assertThat(entries.getFirst().before()).isEqualTo(Sha256.ZERO);
            assertThat(audit.verify(AuditSample.soon()).isWhole()).isTrue();
        }
        List<String> lines = Files.readAllLines(file(1));
        assertThat(lines.get(2))
                .contains("\"before\":\"" + Sha256.of(lines.get(1).getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        for (Path path : List.of(file(1), AuditSample.folder(home).resolve("head"))) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rw-------");
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("audit.key"))))
                .isEqualTo("r--------");
    }

    @Test
    void questionsFindByBoxVerbAndTime() {
        Instant start = Instant.now();
        try (Audit audit = AuditSample.open(home)) {
            for (String box : List.of("one", "two")) {
                for (String verb : List.of("new", "pause", "destroy")) {
                    audit.noteSurely(AuditSample.deed(verb, box));
                }
            }
        }
        assertThat(verbs(AuditSample.question(Optional.empty(), Optional.of("two"), Optional.empty(), 2)))
                .as("the newest two")
                .containsExactly("pause", "destroy");
        assertThat(verbs(AuditSample.question(Optional.empty(), Optional.of("bx_one"), Optional.of("new"), 9)))
                .containsExactly("new");
        assertThat(verbs(AuditSample.question(Optional.of(start), Optional.empty(), Optional.empty(), 100)))
                .hasSize(6);
        assertThat(verbs(AuditSample.question(
                        Optional.of(Instant.now().plusSeconds(60)), Optional.empty(), Optional.empty(), 100)))
                .isEmpty();
    }

    @Test
    void filesRotateAndTheChainGoesOnThroughRestarts() throws IOException {
        for (int server = 0; server < 3; server++) {
            try (Audit audit = AuditSample.open(home)) {
                for (int i = 0; i < 20; i++) {
                    audit.noteSurely(AuditSample.deed("pause", "box" + i));
                }
            }
        }
        List<Integer> numbers = new NumberedFiles(AuditSample.folder(home), AuditLog.NAME).numbers();
        assertThat(numbers).hasSizeGreaterThan(3);
        assertThat(AuditSample.verify(home).findings()).isEmpty();
        try (Audit audit = AuditSample.open(home)) {
            List<AuditEntry> all = audit.entries(EVERYTHING, AuditSample.soon());
            assertThat(all.stream().filter(entry -> entry.deed().isPresent())).hasSize(60);
            assertThat(all)
                    .extracting(AuditEntry::sequence)
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, all.size()).boxed().toList());
            assertThat(all.stream().flatMap(entry -> entry.opening().stream()))
                    .extracting(AuditEntry.Opening::file)
                    .containsExactlyElementsOf(numbers);
        }
    }

    @Test
    void aLineThatWasCutOffIsToldAndTheChainGoesOn() throws IOException {
        try (Audit audit = AuditSample.open(home)) {
            audit.noteSurely(AuditSample.deed("new", "one"));
        }
        String torn = "{\"sequence\":3,\"befo";
        Files.writeString(file(1), torn, StandardOpenOption.APPEND);
        try (Audit audit = AuditSample.open(home)) {
            audit.noteSurely(AuditSample.deed("destroy", "one"));
            assertThat(audit.verify(AuditSample.soon()).findings()).isEmpty();
            AuditEntry.Opening opening = audit.entries(EVERYTHING, AuditSample.soon()).stream()
                    .flatMap(entry -> entry.opening().stream())
                    .filter(each -> each.file() == 2)
                    .findFirst()
                    .orElseThrow();
            assertThat(opening.tornBytes()).isEqualTo(torn.length());
        }
        assertThat(verbs(EVERYTHING)).containsExactly("new", "destroy");
        Files.writeString(file(1), "x", StandardOpenOption.APPEND);
        assertThat(AuditSample.verify(home).isWhole())
                .as("the torn end is compared, too")
                .isFalse();
    }

    @Test
    void entriesThatNobodyHadSealedAreTakenAndToldOf() throws IOException {
        Path head = AuditSample.folder(home).resolve("head");
        byte[] older;
        try (Audit audit = AuditSample.open(home)) {
            audit.noteSurely(AuditSample.deed("new", "one"));
            audit.settled(AuditSample.soon());
            older = Files.readAllBytes(head);
            audit.noteSurely(AuditSample.deed("pause", "one"));
            audit.noteSurely(AuditSample.deed("resume", "one"));
        }
        Files.write(head, older);
        assertThat(AuditSample.verify(home).entries()).as("until the seal").isEqualTo(2);
        try (Audit audit = AuditSample.open(home)) {
            Verification verification = audit.verify(AuditSample.soon());
            assertThat(verification.findings()).isEmpty();
            assertThat(verification.recovered()).isEqualTo(2);
        }
        assertThat(verbs(EVERYTHING)).containsExactly("new", "pause", "resume");
    }

    @Test
    void whatCannotWaitIsCountedAndWhatCanWaits() throws Exception {
        // Nothing is written before the queue is full, as on a disk that has stalled.
        Audit.Rhythm slow = new Audit.Rhythm(Duration.ofSeconds(2), 1000, 4, Duration.ofMillis(100), 1 << 20);
        try (Audit audit = Audit.open(AuditSample.folder(home), AuditSample.seal(home), slow)) {
            StalledWriter stalled = new StalledWriter(audit);
            long start = System.nanoTime();
            for (int i = 0; i < 100; i++) {
                audit.note(AuditSample.deed("exec", "one"));
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(100));
            stalled.goOn();
            Verification verification = audit.verify(AuditSample.soon());
            assertThat(verification.isWhole()).isTrue();
            long written = audit.entries(EVERYTHING, AuditSample.soon()).stream()
                    .filter(entry -> entry.deed().isPresent())
                    .count();
            long lost = audit.entries(EVERYTHING, AuditSample.soon()).stream()
                    .filter(entry -> entry.kind() == AuditEntry.Kind.LOST)
                    .mapToLong(AuditEntry::count)
                    .sum();
            assertThat(lost).isPositive();
            assertThat(written + lost).isEqualTo(100);
        }
    }

    @Test
    void behindANumberTheOldestComeFirstAlsoToWhoFollows() {
        try (Audit audit = AuditSample.open(home)) {
            for (int i = 0; i < 40; i++) {
                audit.noteSurely(AuditSample.deed("pause", "box" + i));
            }
            List<AuditEntry> all = audit.entries(EVERYTHING, AuditSample.soon());
            assertThat(all.stream().filter(entry -> entry.opening().isPresent()))
                    .as("several files")
                    .hasSizeGreaterThan(2);
            List<Long> seen = new ArrayList<>();
            long last = 0;
            for (int page = 0; page < all.size(); page++) {
                List<AuditEntry> next = audit.entries(
                        new AuditQuestion(Optional.of(last), Optional.empty(), Optional.empty(), Optional.empty(), 7),
                        AuditSample.soon());
                next.forEach(entry -> seen.add(entry.sequence()));
                last = next.isEmpty() ? last : next.getLast().sequence();
            }
            assertThat(seen)
                    .containsExactlyElementsOf(
                            all.stream().map(AuditEntry::sequence).toList());
            for (long behind : List.of(0L, 1L, 17L, last - 1)) {
                try (AuditFollower follower = audit.follow(
                        new AuditQuestion(Optional.of(behind), Optional.empty(), Optional.empty(), Optional.empty(), 1),
                        AuditSample.soon())) {
                    for (long expected = behind + 1; expected <= last; expected++) {
                        assertThat(follower.next(AuditSample.soon())
                                        .orElseThrow()
                                        .sequence())
                                .isEqualTo(expected);
                    }
                    assertThat(follower.next(Deadline.inMillis(1))).isEmpty();
                }
            }
        }
    }

    /** Whatever it was just doing: a server that ends waits for what is to be written, and not a moment longer. */
    @Test
    void whatEndsDoesSoAtOnce() {
        for (int notes = 0; notes < 20; notes++) {
            Audit audit = AuditSample.open(home);
            for (int i = 0; i < notes; i++) {
                audit.noteSurely(AuditSample.deed("pause", "one"));
            }
            long start = System.nanoTime();
            audit.close();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
        }
        assertThat(verbs(EVERYTHING)).hasSize(190);
    }

    @Test
    void whatIsOnlyCountedIsInTheChain() {
        try (Audit audit = AuditSample.open(home)) {
            audit.omit();
            audit.omit();
            audit.noteSurely(AuditSample.deed("new", "one"));
            assertThat(audit.verify(AuditSample.soon()).lost()).isEqualTo(2);
        }
    }

    @Test
    void aFollowerSeesWhatComesAlsoInTheNextFile() {
        try (Audit audit = AuditSample.open(home)) {
            audit.noteSurely(AuditSample.deed("new", "before"));
            AuditFollower follower = audit.follow(
                    AuditSample.question(Optional.empty(), Optional.empty(), Optional.of("pause"), 1),
                    AuditSample.soon());
            assertThat(follower.next(Deadline.inMillis(1))).isEmpty();
            for (int i = 0; i < 30; i++) {
                audit.noteSurely(AuditSample.deed(i % 2 == 0 ? "pause" : "resume", "box" + i));
            }
            for (int i = 0; i < 30; i += 2) {
                assertThat(follower.next(AuditSample.soon())
                                .orElseThrow()
                                .deed()
                                .orElseThrow()
                                .boxName())
                        .contains("box" + i);
            }
            follower.close();
        }
    }
}
