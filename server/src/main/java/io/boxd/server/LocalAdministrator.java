package io.boxd.server;

import io.boxd.accounts.AccountCommand;
import io.boxd.accounts.AccountIds;
import io.boxd.accounts.AccountRecord;
import io.boxd.accounts.AccountRows;
import io.boxd.accounts.KeyRow;
import io.boxd.accounts.Scopes;
import io.boxd.accounts.Secrets;
import io.boxd.accounts.SshKey;
import io.boxd.accounts.TokenRow;
import io.boxd.accounts.UserRow;
import io.boxd.common.BoxdException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first user of an instance: whoever has started it, known by the SSH keys that they have here, and the bearer of
 * the token in the instance's home.
 */
final class LocalAdministrator {
    private static final Logger LOG = LoggerFactory.getLogger(LocalAdministrator.class);

    /** The token in the home is this one, whatever its secret. */
    private static final String TOKEN_ID = "tok_local";

    private LocalAdministrator() {}

    /** Makes them when there is nobody yet; and sees to it that the token in the home counts. */
    static void ensure(AccountRecord accounts, Supplier<HostUser> behind, String secret, Instant now) {
        AccountRows rows = accounts.rows();
        if (rows.tokens().stream().anyMatch(token -> !token.holds(now))
                || rows.invitations().stream().anyMatch(invitation -> !invitation.holds(now))) {
            accounts.apply(new AccountCommand.Sweep(now));
        }
        if (rows.users().isEmpty()) {
            begin(accounts, behind.get(), secret, now);
            return;
        }
        Optional<TokenRow> known = rows.token(TOKEN_ID);
        if (known.filter(token -> token.hash().equals(Secrets.hash(secret))).isPresent()) {
            return;
        }
        String whose = known.map(TokenRow::user)
                .orElseGet(() -> rows.administrators().getFirst().id());
        accounts.apply(new AccountCommand.ReplaceToken(token(whose, secret, now)));
        LOG.info("the token in the home is another one from now on");
    }

    /** The keys that they have; if they have none, one is made. What cannot be made is told, and can be added later. */
    static List<SshKey> keys(HostUser user, Consumer<String> tell) {
        SshFolder folder = new SshFolder(user);
        List<SshKey> keys = folder.keys();
        if (!keys.isEmpty()) {
            return keys;
        }
        try {
            SshKey made = folder.make();
            tell.accept(user.name() + " had no SSH key; made " + made.fingerprint() + " in "
                    + user.home().resolve(".ssh/id_ed25519"));
            return List.of(made);
        } catch (BoxdException e) {
            tell.accept(e.getMessage() + "; add one later: boxd key add FILE");
            return List.of();
        }
    }

    private static void begin(AccountRecord accounts, HostUser user, String secret, Instant now) {
        List<SshKey> keys = keys(user, LOG::info);
        String id = AccountIds.user();
        UserRow row = new UserRow(id, user.accountName(), true, now, Optional.empty());
        List<KeyRow> rows = keys.stream().map(key -> KeyRow.of(key, id, now)).toList();
        accounts.apply(new AccountCommand.Begin(row, rows, token(id, secret, now)));
        LOG.info("{} administers this instance, with {} SSH keys", row.name(), rows.size());
    }

    private static TokenRow token(String user, String secret, Instant now) {
        return new TokenRow(
                TOKEN_ID,
                user,
                Secrets.hash(secret),
                "the token in the instance's home",
                Scopes.all(),
                Optional.empty(),
                now,
                Optional.empty());
    }
}
