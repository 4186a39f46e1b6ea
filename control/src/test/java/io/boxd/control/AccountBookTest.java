package io.boxd.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.accounts.AccountCommand;
import io.boxd.accounts.AccountRows;
import io.boxd.accounts.KeyRow;
import io.boxd.accounts.OrganisationRow;
import io.boxd.accounts.Role;
import io.boxd.accounts.Scopes;
import io.boxd.accounts.Secrets;
import io.boxd.accounts.TokenRow;
import io.boxd.accounts.UserRow;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.ledger.Ledger;
import io.boxd.worker.WorkerConfig;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Accounts in a real ledger. */
@Tag("host")
final class AccountBookTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    @TempDir
    private Path home;

    private static TokenRow token(String id, String user) {
        return new TokenRow(id, user, Secrets.hash(id), "", Scopes.all(), Optional.empty(), NOW, Optional.empty());
    }

    private static UserRow user(String name) {
        return new UserRow("usr_" + name, name, false, NOW, Optional.empty());
    }

    private Ledger open(AccountBook book) {
        return Ledger.open(WorkerConfig.ledger(home), List.of(book), Deadline.inSeconds(120));
    }

    @Test
    void accountsLastAndWhatIsRefusedIsRefusedInTheSameWords() {
        AccountRows before;
        AccountBook book = new AccountBook();
        try (Ledger ledger = open(book)) {
            LedgerAccounts accounts = new LedgerAccounts(ledger, book);
            KeyRow key = new KeyRow("SHA256:a", "usr_ada", "ssh-ed25519", "AAAA", "", NOW);
            accounts.apply(new AccountCommand.Begin(user("ada"), List.of(key), token("t1", "usr_ada")));
            accounts.apply(new AccountCommand.AddUser("usr_ada", user("bob"), List.of()));
            accounts.apply(new AccountCommand.AddToken(token("t2", "usr_bob")));
            accounts.apply(new AccountCommand.AddOrganisation(
                    new OrganisationRow("org_1", "red", Map.of("usr_bob", Role.OWNER), Optional.empty(), NOW)));
            assertThat(accounts.rows().bearer("t2", NOW)).isPresent();
            accounts.apply(new AccountCommand.RevokeToken("usr_bob", Optional.empty(), "t2"));
            assertThat(accounts.rows().bearer("t2", NOW)).as("revoked at once").isEmpty();
            assertThatThrownBy(() -> accounts.apply(new AccountCommand.RemoveMember("usr_bob", "org_1", "usr_bob")))
                    .isInstanceOfSatisfying(BoxdException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.WRONG_STATE);
                        assertThat(e).hasMessageContaining("last owner");
                        assertThat(e.hint()).contains("org add");
                    });
            before = accounts.rows();
        }
        AccountBook again = new AccountBook();
        try (Ledger ledger = open(again)) {
            LedgerAccounts accounts = new LedgerAccounts(ledger, again);
            assertThat(accounts.rows()).isEqualTo(before);
            assertThat(accounts.rows().holder("SHA256:a").orElseThrow().name()).isEqualTo("ada");
            assertThat(accounts.rows().bearer("t2", NOW)).isEmpty();
        }
    }
}
