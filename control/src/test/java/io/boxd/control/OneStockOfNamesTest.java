package io.boxd.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.accounts.AccountCommand;
import io.boxd.accounts.OrganisationRow;
import io.boxd.accounts.Role;
import io.boxd.accounts.Scopes;
import io.boxd.accounts.TokenRow;
import io.boxd.accounts.UserRow;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.ledger.Book;
import io.boxd.ledger.Decision;
import io.boxd.ledger.Ledger;
import io.boxd.ledger.Tables;
import io.boxd.worker.BoxBook;
import io.boxd.worker.TestingBoxRecord;
import io.boxd.worker.WorkerConfig;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Boxes and accounts are in two books of one ledger, and never have the same name, however many ask at once. */
@Tag("unit")
final class OneStockOfNamesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final int NAMES = 40;

    @TempDir
    private Path home;

    private static UserRow user(String name) {
        return new UserRow("usr_" + name, name, false, NOW, Optional.empty());
    }

    private static AccountCommand begin() {
        TokenRow token =
                new TokenRow("tok", "usr_ada", "hash", "", Scopes.all(), Optional.empty(), NOW, Optional.empty());
        return new AccountCommand.Begin(user("ada"), List.of(), token);
    }

    private static AccountCommand addUser(String name) {
        return new AccountCommand.AddUser("usr_ada", user(name), List.of());
    }

    private static AccountCommand addOrganisation(String name) {
        return new AccountCommand.AddOrganisation(
                new OrganisationRow("org_" + name, name, Map.of("usr_ada", Role.OWNER), Optional.empty(), NOW));
    }

    /** How many of the names are those of a box and of an account, after both were asked for at once. */
    private long doubled(UnaryOperator<Book> as) {
        BoxBook boxBook = new BoxBook();
        AccountBook accountBook = new AccountBook();
        try (Ledger ledger = Ledger.open(
                WorkerConfig.ledger(home), List.of(as.apply(boxBook), as.apply(accountBook)), Deadline.inSeconds(60))) {
            LedgerAccounts accounts = new LedgerAccounts(ledger, accountBook);
            TestingBoxRecord boxes = TestingBoxRecord.in(ledger, boxBook);
            accounts.apply(begin());
            IntStream.range(0, NAMES).forEach(i -> boxes.reserve("earlier-" + i));
            List<CompletableFuture<Boolean>> asked = new ArrayList<>();
            for (int i = 0; i < NAMES; i++) {
                int number = i;
                String name = "n-" + i;
                Runnable box =
                        number % 2 == 0 ? () -> boxes.reserve(name) : () -> boxes.rename("earlier-" + number, name);
                AccountCommand account = number % 3 == 0 ? addOrganisation(name) : addUser(name);
                asked.add(attempt(box));
                asked.add(attempt(() -> accounts.apply(account)));
            }
            long taken = asked.stream().filter(CompletableFuture::join).count();
            assertThat(taken).as("somebody gets each name").isGreaterThanOrEqualTo(NAMES);
            return IntStream.range(0, NAMES)
                    .mapToObj(i -> "n-" + i)
                    .filter(name -> boxes.isThere(name) && accounts.rows().isNameTaken(name))
                    .count();
        }
    }

    private static CompletableFuture<Boolean> attempt(Runnable what) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        what.run();
                        return true;
                    } catch (BoxdException e) {
                        assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_EXISTS);
                        return false;
                    }
                },
                Thread::startVirtualThread);
    }

    @Test
    void aNameIsThatOfABoxOrOfAnAccount() {
        assertThat(doubled(UnaryOperator.identity())).isZero();
    }

    @Test
    void redControlBooksThatDoNotTellEachOtherGiveNamesTwice() {
        assertThat(doubled(Silent::new)).isEqualTo(NAMES);
    }

    @Test
    void aNameThatIsGivenBackCanBeHadByAnybody() {
        BoxBook boxBook = new BoxBook();
        AccountBook accountBook = new AccountBook();
        try (Ledger ledger =
                Ledger.open(WorkerConfig.ledger(home), List.of(boxBook, accountBook), Deadline.inSeconds(60))) {
            LedgerAccounts accounts = new LedgerAccounts(ledger, accountBook);
            TestingBoxRecord boxes = TestingBoxRecord.in(ledger, boxBook);
            accounts.apply(begin());
            boxes.reserve("red");
            assertThatThrownBy(() -> accounts.apply(addUser("red"))).hasMessage("the name red is taken");
            boxes.rename("red", "blue");
            accounts.apply(addUser("red"));
            assertThatThrownBy(() -> boxes.rename("red", "red")).hasMessage("the name red is taken");
            accounts.apply(new AccountCommand.RemoveUser("usr_ada", "usr_red", 0));
            boxes.rename("red", "red");
            assertThat(boxes.isThere("red")).isTrue();
        }
    }

    /** A book that does not say which names it has given. */
    private record Silent(Book real) implements Book {
        @Override
        public String name() {
            return real.name();
        }

        @Override
        public List<Migration> migrations() {
            return real.migrations();
        }

        @Override
        public void load(Tables tables) {
            real.load(tables);
        }

        @Override
        public boolean isTaken(String name) {
            return false;
        }

        @Override
        public Decision decide(int version, String command, Tables tables, Predicate<String> takenElsewhere) {
            return real.decide(version, command, tables, takenElsewhere);
        }
    }
}
