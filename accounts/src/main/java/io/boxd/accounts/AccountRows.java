package io.boxd.accounts;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * All rows of accounts at one moment; does not change.
 *
 * <p>Whoever wants to know who somebody is asks these rows each time; nothing that was once believed is kept elsewhere.
 */
public final class AccountRows {
    private static final AccountRows NONE = new AccountRows(new EnumMap<>(RowKind.class));

    private final Map<RowKind, Map<String, AccountRow>> rows;
    private final Map<String, TokenRow> tokensByHash = new HashMap<>();

    private AccountRows(Map<RowKind, Map<String, AccountRow>> rows) {
        this.rows = rows;
        tokens().forEach(token -> tokensByHash.put(token.hash(), token));
    }

    public static AccountRows none() {
        return NONE;
    }

    /** These and no others. */
    public static AccountRows of(List<AccountRow> all) {
        return NONE.after(
                all.stream().<AccountChange>map(AccountChange.Put::new).toList());
    }

    /** The rows after these changes. */
    public AccountRows after(List<AccountChange> changes) {
        Map<RowKind, Map<String, AccountRow>> next = new EnumMap<>(RowKind.class);
        for (RowKind kind : RowKind.values()) {
            next.put(kind, new TreeMap<>(rows.getOrDefault(kind, Map.of())));
        }
        for (AccountChange change : changes) {
            switch (change) {
                case AccountChange.Put(AccountRow row) ->
                    mapOf(next, row.kind()).put(row.key(), row);
                case AccountChange.Drop(RowKind kind, String key) ->
                    mapOf(next, kind).remove(key);
            }
        }
        return new AccountRows(next);
    }

    private static Map<String, AccountRow> mapOf(Map<RowKind, Map<String, AccountRow>> rows, RowKind kind) {
        return rows.computeIfAbsent(kind, _ -> new TreeMap<>());
    }

    /** Every row, always in the same order. */
    public List<AccountRow> all() {
        return Stream.of(RowKind.values())
                .flatMap(kind -> rows.getOrDefault(kind, Map.of()).values().stream())
                .toList();
    }

    private <T extends AccountRow> List<T> of(RowKind kind, Class<T> type) {
        return rows.getOrDefault(kind, Collections.emptyMap()).values().stream()
                .map(type::cast)
                .toList();
    }

    private <T extends AccountRow> Optional<T> find(RowKind kind, String key, Class<T> type) {
        return Optional.ofNullable(
                        rows.getOrDefault(kind, Collections.emptyMap()).get(key))
                .map(type::cast);
    }

    private static <T> Optional<T> first(List<T> all, Predicate<T> fits) {
        return all.stream().filter(fits).findFirst();
    }

    public List<UserRow> users() {
        return of(RowKind.USER, UserRow.class);
    }

    public Optional<UserRow> user(String id) {
        return find(RowKind.USER, id, UserRow.class);
    }

    public Optional<UserRow> userNamed(String name) {
        return first(users(), user -> user.name().equals(name));
    }

    /** Those whom to ask for more. */
    public List<UserRow> administrators() {
        return users().stream().filter(UserRow::administrator).toList();
    }

    public List<KeyRow> keys() {
        return of(RowKind.KEY, KeyRow.class);
    }

    public List<KeyRow> keysOf(String user) {
        return keys().stream().filter(key -> key.user().equals(user)).toList();
    }

    public Optional<KeyRow> key(String fingerprint) {
        return find(RowKind.KEY, fingerprint, KeyRow.class);
    }

    public List<TokenRow> tokens() {
        return of(RowKind.TOKEN, TokenRow.class);
    }

    public Optional<TokenRow> token(String id) {
        return find(RowKind.TOKEN, id, TokenRow.class);
    }

    public List<TokenRow> tokensOf(String user) {
        return tokens().stream().filter(token -> token.user().equals(user)).toList();
    }

    public List<OrganisationRow> organisations() {
        return of(RowKind.ORGANISATION, OrganisationRow.class);
    }

    public Optional<OrganisationRow> organisation(String id) {
        return find(RowKind.ORGANISATION, id, OrganisationRow.class);
    }

    public Optional<OrganisationRow> organisationNamed(String name) {
        return first(organisations(), organisation -> organisation.name().equals(name));
    }

    public List<OrganisationRow> organisationsOf(String user) {
        return organisations().stream()
                .filter(organisation -> organisation.has(user))
                .toList();
    }

    public List<InvitationRow> invitations() {
        return of(RowKind.INVITATION, InvitationRow.class);
    }

    public Optional<InvitationRow> invitation(String id) {
        return find(RowKind.INVITATION, id, InvitationRow.class);
    }

    Optional<InvitationRow> invitationWith(String hash) {
        return first(invitations(), invitation -> invitation.hash().equals(hash));
    }

    public List<IdentityRow> identities() {
        return of(RowKind.IDENTITY, IdentityRow.class);
    }

    public Optional<IdentityRow> identity(String issuer, String subject) {
        return find(RowKind.IDENTITY, IdentityRow.key(issuer, subject), IdentityRow.class);
    }

    /** Whether a user or an organisation has this name; boxes then cannot have it. */
    public boolean isNameTaken(String name) {
        return userNamed(name).isPresent() || organisationNamed(name).isPresent();
    }

    /** Who shows this token. */
    public Optional<Principal> bearer(String secret, Instant now) {
        return Optional.ofNullable(tokensByHash.get(Secrets.hash(secret)))
                .filter(token -> token.holds(now))
                .flatMap(this::bearer);
    }

    /** Whose a token is that has been looked at already. */
    public Optional<Principal> bearer(TokenRow token) {
        return user(token.user()).map(user -> principal(user, token.scopes(), Optional.of(token.id())));
    }

    /** Who has shown that this key is theirs. */
    public Optional<Principal> holder(String fingerprint) {
        return key(fingerprint).flatMap(key -> user(key.user())).map(this::principal);
    }

    /** A user with everything that is theirs. */
    public Principal principal(UserRow user) {
        return principal(user, Scopes.all(), Optional.empty());
    }

    private Principal principal(UserRow user, Scopes scopes, Optional<String> token) {
        Map<String, Role> roles = new TreeMap<>();
        for (OrganisationRow organisation : organisationsOf(user.id())) {
            roles.put(organisation.id(), organisation.members().getOrDefault(user.id(), Role.MEMBER));
        }
        return new Principal(user.id(), user.name(), user.administrator(), roles, scopes, token);
    }

    /** What rights to a box go by. */
    public BoxFacts box(
            String owner, Optional<String> organisation, Visibility visibility, Map<String, String> labels) {
        boolean orphaned = organisation
                .flatMap(this::organisation)
                .filter(there -> !there.has(owner))
                .isPresent();
        return new BoxFacts(owner, organisation, visibility, labels, orphaned);
    }

    UserRow requireUser(String id) {
        return user(id).orElseThrow(() -> missing("user", id));
    }

    OrganisationRow requireOrganisation(String id) {
        return organisation(id).orElseThrow(() -> missing("organisation", id));
    }

    static BoxdException missing(String what, String name) {
        return new BoxdException(ErrorCode.NOT_FOUND, "there is no " + what + " " + name);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AccountRows same && all().equals(same.all());
    }

    @Override
    public int hashCode() {
        return all().hashCode();
    }
}
