package io.boxd.accounts;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** What commands about organisations and invitations change. */
final class OrganisationDecisions {
    private OrganisationDecisions() {}

    static List<AccountChange> add(
            AccountRows rows, AccountCommand.AddOrganisation add, Predicate<String> takenElsewhere) {
        OrganisationRow organisation = add.organisation();
        AccountDecisions.requireName(organisation.name());
        AccountDecisions.requireFree(rows, organisation.name(), takenElsewhere);
        boolean usual = organisation.members().size() == 1
                && organisation.members().containsValue(Role.OWNER)
                && organisation.pool().isEmpty();
        if (!usual || rows.organisation(organisation.id()).isPresent()) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT, "an organisation begins with its owner, and without a pool");
        }
        organisation.members().keySet().forEach(rows::requireUser);
        return List.of(new AccountChange.Put(organisation));
    }

    static List<AccountChange> put(AccountRows rows, AccountCommand.PutMember put) {
        OrganisationRow organisation = governed(rows, put.organisation(), put.by());
        String user = rows.requireUser(put.user()).id();
        if (put.role() != Role.OWNER) {
            requireOtherOwner(organisation, user);
        }
        return List.of(new AccountChange.Put(organisation.with(user, put.role())));
    }

    static List<AccountChange> remove(AccountRows rows, AccountCommand.RemoveMember remove) {
        boolean leaves = remove.by().equals(remove.user());
        OrganisationRow organisation = leaves
                ? known(rows, remove.organisation(), remove.by())
                : governed(rows, remove.organisation(), remove.by());
        if (!organisation.has(remove.user())) {
            throw AccountRows.missing("member", remove.user());
        }
        requireOtherOwner(organisation, remove.user());
        return List.of(new AccountChange.Put(organisation.without(remove.user())));
    }

    static List<AccountChange> limit(AccountRows rows, AccountCommand.LimitMember limit) {
        OrganisationRow organisation = governed(rows, limit.organisation(), limit.by());
        if (!organisation.has(limit.user())) {
            throw AccountRows.missing("member", limit.user());
        }
        if (limit.limit().isPresent() && organisation.pool().isEmpty()) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE,
                    organisation.name() + " has no pool that a member could take less of",
                    "An administrator gives it one: boxd org pool " + organisation.name() + ".",
                    null);
        }
        return List.of(new AccountChange.Put(organisation.limiting(limit.user(), limit.limit())));
    }

    static void requireOtherOwner(OrganisationRow organisation, String user) {
        if (organisation.isLastOwner(user)) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE,
                    "that is the last owner of " + organisation.name(),
                    "Make another member its owner first: boxd org add " + organisation.name() + " USER --role owner.",
                    null);
        }
    }

    /** One that somebody is in, or rules as an administrator; for all others there is none. */
    private static OrganisationRow known(AccountRows rows, String id, String by) {
        return rows.organisation(id)
                .filter(one -> one.has(by) || AccountDecisions.isAdministrator(rows, by))
                .orElseThrow(() -> AccountRows.missing("organisation", id));
    }

    private static OrganisationRow governed(AccountRows rows, String id, String by) {
        OrganisationRow organisation = known(rows, id, by);
        if (!organisation.isOwner(by) && !AccountDecisions.isAdministrator(rows, by)) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED,
                    "this is for owners of " + organisation.name(),
                    "boxd org members " + organisation.name() + " shows them.",
                    null);
        }
        return organisation;
    }

    static List<AccountChange> invite(AccountRows rows, InvitationRow invitation) {
        requireInviting(rows, invitation);
        if (rows.invitation(invitation.id()).isPresent()
                || rows.invitationWith(invitation.hash()).isPresent()) {
            throw new BoxdException(ErrorCode.ALREADY_EXISTS, "there is an invitation " + invitation.id() + " already");
        }
        return List.of(new AccountChange.Put(invitation));
    }

    private static void requireInviting(AccountRows rows, InvitationRow invitation) {
        if (invitation.organisation().isPresent()) {
            governed(rows, invitation.organisation().get(), invitation.by());
        } else {
            AccountDecisions.requireAdministrator(rows, invitation.by());
        }
    }

    static List<AccountChange> withdraw(AccountRows rows, AccountCommand.Withdraw withdraw) {
        InvitationRow invitation = rows.invitation(withdraw.invitation())
                .filter(one -> one.by().equals(withdraw.by()) || AccountDecisions.isAdministrator(rows, withdraw.by()))
                .orElseThrow(() -> AccountRows.missing("invitation", withdraw.invitation()));
        return List.of(new AccountChange.Drop(RowKind.INVITATION, invitation.id()));
    }

    /** Uses an invitation up; whoever gave it must still be somebody who may. */
    static List<AccountChange> follow(AccountRows rows, String hash, String user, Instant at) {
        InvitationRow invitation =
                rows.invitationWith(hash).filter(one -> one.holds(at)).orElseThrow(OrganisationDecisions::used);
        try {
            requireInviting(rows, invitation);
        } catch (BoxdException e) {
            throw used();
        }
        List<AccountChange> changes = new ArrayList<>();
        changes.add(new AccountChange.Drop(RowKind.INVITATION, invitation.id()));
        invitation.organisation().ifPresent(id -> {
            OrganisationRow organisation = rows.requireOrganisation(id);
            Role present = organisation.members().get(user);
            // An invitation never takes anything away.
            Role role = present == Role.OWNER ? Role.OWNER : invitation.role();
            changes.add(new AccountChange.Put(organisation.with(user, role)));
        });
        return changes;
    }

    private static BoxdException used() {
        return new BoxdException(
                ErrorCode.PERMISSION_DENIED,
                "this invitation does not hold: it was used or withdrawn, or its time is over",
                "Ask whoever gave it for another.",
                null);
    }
}
