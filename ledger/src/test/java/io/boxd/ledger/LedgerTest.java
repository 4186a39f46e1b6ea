package io.boxd.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
final class LedgerTest {
    @TempDir
    private Path home;

    @Test
    void whatWasCommittedIsThereAfterReopening() {
        LedgerConfig config = TestingLedger.config(home);
        long before;
        try (Ledger ledger = TestingLedger.open(config, new CountingBook())) {
            assertThat(TestingLedger.add(ledger, "a")).isEqualTo("1");
            assertThat(TestingLedger.add(ledger, "a")).isEqualTo("2");
            assertThatThrownBy(() -> TestingLedger.add(ledger, "!b")).isInstanceOfSatisfying(BoxdException.class, e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_EXISTS);
                assertThat(e).hasMessage("refused !b");
                assertThat(e.hint()).isEqualTo("Say another.");
            });
            before = ledger.index();
        }
        CountingBook book = new CountingBook();
        try (Ledger ledger = TestingLedger.open(config, book)) {
            assertThat(book.counts()).isEqualTo(Map.of("a", 2L));
            assertThat(ledger.index()).isEqualTo(before);
            assertThat(TestingLedger.add(ledger, "a")).isEqualTo("3");
        }
    }

    @Test
    void whatTheStateHasLostIsAppliedAgain() throws IOException {
        LedgerConfig config = TestingLedger.config(home);
        Path old = home.resolve("old.db");
        Position end;
        try (Ledger ledger = TestingLedger.open(config, new CountingBook())) {
            TestingLedger.add(ledger, "a");
            StateDatabase.copy(config.database(), old);
            TestingLedger.add(ledger, "a");
            TestingLedger.add(ledger, "b");
            Path copy = home.resolve("copy");
            end = StateDatabase.copy(config.database(), copy);
        }
        // As after a power cut, which the log has survived.
        forgetSnapshots(config);
        Files.move(old, config.database(), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        CountingBook book = new CountingBook();
        try (Ledger ledger = TestingLedger.open(config, book)) {
            assertThat(book.counts()).isEqualTo(Map.of("a", 2L, "b", 1L));
            assertThat(StateDatabase.copy(config.database(), home.resolve("again")))
                    .isEqualTo(end);
            assertThat(ledger.index()).isEqualTo(end.index());
        }
    }

    private static void forgetSnapshots(LedgerConfig config) throws IOException {
        try (Stream<Path> files = Files.list(config.folder().resolve("snapshots"))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void manyAtOnceAreEachCountedOnce() {
        LedgerConfig config = TestingLedger.config(home);
        CountingBook book = new CountingBook();
        try (Ledger ledger = TestingLedger.open(config, book)) {
            List<CompletableFuture<String>> all = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                all.add(CompletableFuture.supplyAsync(
                        () -> TestingLedger.add(ledger, "a"), Thread::startVirtualThread));
            }
            assertThat(all.stream()
                            .map(CompletableFuture::join)
                            .map(Long::valueOf)
                            .sorted()
                            .toList())
                    .isEqualTo(java.util.stream.LongStream.rangeClosed(1, 64)
                            .boxed()
                            .toList());
            assertThat(ledger.commits()).isEqualTo(64);
        }
    }

    @Test
    void theLogStaysSmallAndNothingIsLost() throws IOException {
        LedgerConfig config = TestingLedger.config(home).withSnapshotEntries(20);
        for (int round = 0; round < 6; round++) {
            try (Ledger ledger = TestingLedger.open(config, new CountingBook())) {
                for (int i = 0; i < 25; i++) {
                    TestingLedger.add(ledger, "n" + i);
                }
            }
        }
        try (Stream<Path> files = Files.list(config.folder().resolve("snapshots"))) {
            assertThat(files).hasSize(2);
        }
        assertThat(Segment.in(config.log().current()).getFirst().start()).isGreaterThan(50);
        CountingBook book = new CountingBook();
        try (Ledger ledger = TestingLedger.open(config, book)) {
            assertThat(book.counts())
                    .hasSize(25)
                    .allSatisfy((_, count) -> assertThat(count).isEqualTo(6));
            assertThat(ledger.index()).isGreaterThan(150);
        }
    }

    @Test
    void tablesAreBroughtUpToDateOnceAndANewerOneIsRefused() {
        LedgerConfig config = TestingLedger.config(home);
        try (Ledger ledger = TestingLedger.open(config, new CountingBook())) {
            TestingLedger.add(ledger, "a");
        }
        List<Book.Migration> two = List.of(
                tables -> tables.create("counts"),
                tables -> tables.put("counts", "new", io.boxd.common.Json.write(new CountingBook.Count("new", 7))));
        for (int i = 0; i < 2; i++) {
            CountingBook newer = new CountingBook(two);
            try (Ledger ledger = TestingLedger.open(config, newer)) {
                assertThat(newer.counts()).isEqualTo(Map.of("a", 1L, "new", 7L));
                assertThat(ledger.commits()).isZero();
            }
        }
        assertThatThrownBy(() -> TestingLedger.open(config, new CountingBook()))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("newer boxd")
                .hasMessageContaining("state.db");
    }

    @Test
    void onlyOneServerUsesIt() {
        LedgerConfig config = TestingLedger.config(home);
        try (Ledger ledger = TestingLedger.open(config, new CountingBook())) {
            assertThatThrownBy(() -> TestingLedger.open(config, new CountingBook()))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("used by a server");
            TestingLedger.add(ledger, "a");
        }
    }

    @Test
    void aBackupIsTheWholeStateWhileItIsUsedAndWhenItIsNot() {
        LedgerConfig config = TestingLedger.config(home);
        try (Ledger ledger = TestingLedger.open(config, new CountingBook())) {
            TestingLedger.add(ledger, "a");
            long index = Ledger.backup(config, List.of(new CountingBook()), home.resolve("used"), TestingLedger.soon());
            assertThat(index).isEqualTo(ledger.index());
            TestingLedger.add(ledger, "b");
        }
        long index = Ledger.backup(config, List.of(new CountingBook()), home.resolve("unused"), TestingLedger.soon());
        assertThat(StateFile.open(home.resolve("unused")).position().index()).isEqualTo(index);
        StateRestore.Restored back =
                StateRestore.run(config, List.of(new CountingBook()), java.util.Optional.of(home.resolve("used")));
        assertThat(back.lost()).isPositive();
        CountingBook book = new CountingBook();
        try (Ledger ledger = TestingLedger.open(config, book)) {
            assertThat(book.counts()).isEqualTo(Map.of("a", 1L));
            assertThat(TestingLedger.add(ledger, "a")).isEqualTo("2");
        }
        CountingBook again = new CountingBook();
        try (Ledger ledger = TestingLedger.open(config, again)) {
            assertThat(again.counts()).isEqualTo(Map.of("a", 2L));
            assertThat(ledger.index()).isGreaterThan(back.index());
        }
    }
}
