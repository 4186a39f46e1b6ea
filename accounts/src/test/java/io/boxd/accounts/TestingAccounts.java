package io.boxd.accounts;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Accounts that are only in memory; and rows as a test needs them. */
final class TestingAccounts implements AccountRecord {
    static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private AccountRows rows = AccountRows.none();

    @Override
    public AccountRows rows() {
        return rows;
    }

    @Override
    public AccountRows apply(AccountCommand command) {
        rows = rows.after(AccountDecisions.of(rows, command));
        return rows;
    }

    /** With an administrator, ada, and users bob and cy. */
    static TestingAccounts begun() {
        TestingAccounts accounts = new TestingAccounts();
        accounts.apply(new AccountCommand.Begin(
                user("ada"), List.of(key("ada", "SHA256:ada")), token("tok_local", "ada", Scopes.all(), null)));
        accounts.apply(new AccountCommand.AddUser("usr_ada", user("bob"), List.of(), Set.of()));
        accounts.apply(new AccountCommand.AddUser("usr_ada", user("cy"), List.of(), Set.of()));
        return accounts;
    }

    static UserRow user(String name) {
        return new UserRow("usr_" + name, name, false, NOW, Optional.empty());
    }

    static KeyRow key(String user, String fingerprint) {
        return new KeyRow(fingerprint, "usr_" + user, "ssh-ed25519", "AAAA", "", NOW);
    }

    static TokenRow token(String id, String user, Scopes scopes, @Nullable String maker) {
        return new TokenRow(
                id, "usr_" + user, Secrets.hash(id), "", scopes, Optional.ofNullable(maker), NOW, Optional.empty());
    }

    static OrganisationRow organisation(String name, String owner) {
        return new OrganisationRow("org_" + name, name, Map.of("usr_" + owner, Role.OWNER), Optional.empty(), NOW);
    }

    static InvitationRow invitation(String id, Optional<String> organisation, String by) {
        return new InvitationRow(
                id,
                Secrets.hash(id),
                organisation.map(name -> "org_" + name),
                Role.MEMBER,
                "usr_" + by,
                NOW,
                NOW.plusSeconds(60));
    }
}
