package io.boxd.accounts;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Shapes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What each command changes; a pure function of the rows and the command.
 *
 * <p>Whether somebody may, and that names, keys and identities belong to one only, is decided here and nowhere else.
 */
public final class AccountDecisions {
    private AccountDecisions() {}

    /**
     * What a command changes, or why it does not.
     *
     * @param takenElsewhere whether a name belongs to something that is no account
     */
    public static List<AccountChange> of(AccountRows rows, AccountCommand command, Predicate<String> takenElsewhere) {
        return switch (command) {
            case AccountCommand.Begin begin -> begin(rows, begin);
            case AccountCommand.ReplaceToken(TokenRow token) -> {
                rows.requireUser(token.user());
                yield List.of(new AccountChange.Put(token));
            }
            case AccountCommand.AddUser add -> {
                requireAdministrator(rows, add.by());
                yield newcomer(
                        rows, new Newcomer(add.user(), add.keys(), Optional.empty(), Optional.empty()), takenElsewhere);
            }
            case AccountCommand.RemoveUser remove -> removeUser(rows, remove);
            case AccountCommand.SetAdministrator set -> setAdministrator(rows, set);
            case AccountCommand.SetQuota set -> {
                requireAdministrator(rows, set.by());
                yield List.of(new AccountChange.Put(rows.requireUser(set.user()).with(set.quota())));
            }
            case AccountCommand.AddKey(KeyRow key) -> {
                rows.requireUser(key.user());
                yield addKey(rows, key);
            }
            case AccountCommand.RemoveKey(String user, String fingerprint) -> removeKey(rows, user, fingerprint);
            case AccountCommand.AddToken(TokenRow token) -> TokenDecisions.add(rows, token);
            case AccountCommand.RevokeToken revoke -> TokenDecisions.revoke(rows, revoke);
            case AccountCommand.AddOrganisation add -> OrganisationDecisions.add(rows, add, takenElsewhere);
            case AccountCommand.PutMember put -> OrganisationDecisions.put(rows, put);
            case AccountCommand.RemoveMember remove -> OrganisationDecisions.remove(rows, remove);
            case AccountCommand.SetPool set -> {
                requireAdministrator(rows, set.by());
                yield List.of(new AccountChange.Put(
                        rows.requireOrganisation(set.organisation()).with(set.pool())));
            }
            case AccountCommand.LimitMember limit -> OrganisationDecisions.limit(rows, limit);
            case AccountCommand.Invite(InvitationRow invitation) -> OrganisationDecisions.invite(rows, invitation);
            case AccountCommand.Withdraw withdraw -> OrganisationDecisions.withdraw(rows, withdraw);
            case AccountCommand.Join(String hash, String user, Instant at) -> {
                rows.requireUser(user);
                yield OrganisationDecisions.follow(rows, hash, user, at);
            }
            case AccountCommand.Enter(String hash, Newcomer newcomer, Instant at) -> {
                List<AccountChange> changes = new ArrayList<>(newcomer(rows, newcomer, takenElsewhere));
                changes.addAll(
                        OrganisationDecisions.follow(rows, hash, newcomer.user().id(), at));
                yield changes;
            }
            case AccountCommand.Admit(Newcomer newcomer) -> newcomer(rows, newcomer, takenElsewhere);
            case AccountCommand.Link(IdentityRow identity) -> {
                rows.requireUser(identity.user());
                yield link(rows, identity);
            }
            case AccountCommand.Sweep(Instant at) -> TokenDecisions.sweep(rows, at);
        };
    }

    private static List<AccountChange> begin(AccountRows rows, AccountCommand.Begin begin) {
        if (!rows.users().isEmpty()) {
            throw new BoxdException(ErrorCode.ALREADY_EXISTS, "this server has users already");
        }
        Newcomer first = new Newcomer(
                begin.user().administrating(true), begin.keys(), Optional.of(begin.token()), Optional.empty());
        return arrive(rows, first);
    }

    /** A user who is no administrator, whatever the command says. */
    private static List<AccountChange> newcomer(AccountRows rows, Newcomer newcomer, Predicate<String> takenElsewhere) {
        requireFree(rows, newcomer.user().name(), takenElsewhere);
        UserRow user = newcomer.user().administrating(false);
        return arrive(rows, new Newcomer(user, newcomer.keys(), newcomer.token(), newcomer.identity()));
    }

    private static List<AccountChange> arrive(AccountRows rows, Newcomer newcomer) {
        UserRow user = newcomer.user();
        requireName(user.name());
        if (rows.user(user.id()).isPresent()) {
            throw new BoxdException(ErrorCode.ALREADY_EXISTS, "there is a user " + user.id() + " already");
        }
        List<AccountChange> changes = new ArrayList<>();
        changes.add(new AccountChange.Put(user));
        Set<String> seen = new HashSet<>();
        newcomer.keys().stream()
                .filter(key -> seen.add(key.fingerprint()))
                .forEach(key -> changes.addAll(addKey(rows, key)));
        newcomer.token().ifPresent(token -> changes.addAll(TokenDecisions.first(rows, token)));
        newcomer.identity().ifPresent(identity -> changes.addAll(link(rows, identity)));
        return changes;
    }

    static void requireName(String name) {
        if (!Shapes.isName(name) || Shapes.isLikeAPort(name)) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "users and organisations cannot have this name",
                    "Use 1 to " + Shapes.LONGEST_NAME + " lower-case letters, digits and hyphens, a letter first.",
                    null);
        }
    }

    /** Users, organisations and boxes have their names from one stock: all become parts of host names. */
    static void requireFree(AccountRows rows, String name, Predicate<String> takenElsewhere) {
        if (rows.isNameTaken(name) || takenElsewhere.test(name)) {
            throw new BoxdException(
                    ErrorCode.ALREADY_EXISTS, "the name " + name + " is taken", "Choose another name.", null);
        }
    }

    private static List<AccountChange> addKey(AccountRows rows, KeyRow key) {
        Optional<KeyRow> present = rows.key(key.fingerprint());
        if (present.isPresent()) {
            throw new BoxdException(
                    ErrorCode.ALREADY_EXISTS,
                    "the key " + key.fingerprint() + " is known already",
                    "A key belongs to one user. Make another: ssh-keygen -t ed25519.",
                    null);
        }
        return List.of(new AccountChange.Put(key));
    }

    private static List<AccountChange> removeKey(AccountRows rows, String user, String fingerprint) {
        KeyRow known = rows.key(fingerprint)
                .filter(key -> key.user().equals(user))
                .orElseThrow(() -> AccountRows.missing("key", fingerprint));
        return List.of(new AccountChange.Drop(RowKind.KEY, known.key()));
    }

    private static List<AccountChange> link(AccountRows rows, IdentityRow identity) {
        if (rows.identity(identity.issuer(), identity.subject()).isPresent()) {
            throw new BoxdException(
                    ErrorCode.ALREADY_EXISTS, "who logs in there as this is a user of this server already");
        }
        return List.of(new AccountChange.Put(identity));
    }

    private static List<AccountChange> removeUser(AccountRows rows, AccountCommand.RemoveUser remove) {
        requireAdministrator(rows, remove.by());
        UserRow user = rows.requireUser(remove.user());
        requireOtherAdministrator(rows, user);
        if (remove.boxes() > 0) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE,
                    user.name() + " still has " + remove.boxes() + " boxes",
                    "Destroy them first: boxd list --all shows them.",
                    null);
        }
        List<AccountChange> changes = new ArrayList<>();
        for (OrganisationRow organisation : rows.organisationsOf(user.id())) {
            OrganisationDecisions.requireOtherOwner(organisation, user.id());
            changes.add(new AccountChange.Put(organisation.without(user.id())));
        }
        rows.keysOf(user.id()).forEach(key -> changes.add(new AccountChange.Drop(RowKind.KEY, key.key())));
        rows.tokensOf(user.id()).forEach(token -> changes.add(new AccountChange.Drop(RowKind.TOKEN, token.key())));
        rows.identities().stream()
                .filter(identity -> identity.user().equals(user.id()))
                .forEach(identity -> changes.add(new AccountChange.Drop(RowKind.IDENTITY, identity.key())));
        rows.invitations().stream()
                .filter(invitation -> invitation.by().equals(user.id()))
                .forEach(invitation -> changes.add(new AccountChange.Drop(RowKind.INVITATION, invitation.key())));
        changes.add(new AccountChange.Drop(RowKind.USER, user.id()));
        return changes;
    }

    private static List<AccountChange> setAdministrator(AccountRows rows, AccountCommand.SetAdministrator set) {
        requireAdministrator(rows, set.by());
        UserRow user = rows.requireUser(set.user());
        if (!set.administrator()) {
            requireOtherAdministrator(rows, user);
        }
        return List.of(new AccountChange.Put(user.administrating(set.administrator())));
    }

    private static void requireOtherAdministrator(AccountRows rows, UserRow user) {
        if (user.administrator() && rows.administrators().size() == 1) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE,
                    user.name() + " is the last administrator of this server",
                    "Make somebody else one first.",
                    null);
        }
    }

    static void requireAdministrator(AccountRows rows, String user) {
        if (!isAdministrator(rows, user)) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED, "this is for administrators of this server", "Ask one of them.", null);
        }
    }

    static boolean isAdministrator(AccountRows rows, String user) {
        return rows.user(user).filter(UserRow::administrator).isPresent();
    }
}
