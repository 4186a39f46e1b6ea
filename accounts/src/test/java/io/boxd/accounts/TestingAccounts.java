package io.boxd.accounts;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Accounts that are only in memory; and rows as a test needs them. */
public final class TestingAccounts implements AccountRecord {
    static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    /** The administrator's. */
    public static final String ADMINISTRATORS_TOKEN = "a-secret-for-tests";

    private AccountRows rows = AccountRows.none();
    private Predicate<String> takenElsewhere = _ -> false;
    private volatile @Nullable ErrorCode failure;

    @Override
    public AccountRows rows() {
        failIfTold();
        return rows;
    }

    @Override
    public synchronized AccountRows apply(AccountCommand command) {
        failIfTold();
        rows = rows.after(AccountDecisions.of(rows, command, takenElsewhere));
        return rows;
    }

    /** These names belong to boxes. */
    void boxesHave(Set<String> names) {
        takenElsewhere = names::contains;
    }

    /** All fails like this from now on; with null, nothing does. */
    public void failWith(@Nullable ErrorCode code) {
        failure = code;
    }

    private void failIfTold() {
        ErrorCode code = failure;
        if (code != null) {
            throw new BoxdException(code, "a failure that the test wants");
        }
    }

    /** Nobody yet. */
    public static TestingAccounts nobody() {
        return new TestingAccounts();
    }

    /** With an administrator, ada, and users bob and cy. */
    public static TestingAccounts begun() {
        TestingAccounts accounts = new TestingAccounts();
        accounts.apply(new AccountCommand.Begin(user("ada"), List.of(key("ada", "SHA256:ada")), administratorsToken()));
        accounts.apply(new AccountCommand.AddUser("usr_ada", user("bob"), List.of()));
        accounts.apply(new AccountCommand.AddUser("usr_ada", user("cy"), List.of()));
        return accounts;
    }

    private static TokenRow administratorsToken() {
        return new TokenRow(
                "tok_local",
                "usr_ada",
                Secrets.hash(ADMINISTRATORS_TOKEN),
                "",
                Scopes.all(),
                Optional.empty(),
                NOW,
                Optional.empty());
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
