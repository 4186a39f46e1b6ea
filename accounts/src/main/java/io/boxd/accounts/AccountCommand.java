package io.boxd.accounts;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A change of accounts; ids, times and hashes come with it, so that applying it needs nothing but the rows.
 *
 * <p>{@code by} is the id of the user who wants it; whether they may is decided with the rows as they then are.
 */
public sealed interface AccountCommand {
    /** The first user of an instance, an administrator; legal while there is none. */
    record Begin(UserRow user, List<KeyRow> keys, TokenRow token) implements AccountCommand {
        public Begin {
            keys = List.copyOf(keys);
        }
    }

    /** The instance's own token has become another. */
    record ReplaceToken(TokenRow token) implements AccountCommand {}

    /** Another user, made by an administrator. */
    record AddUser(String by, UserRow user, List<KeyRow> keys) implements AccountCommand {
        public AddUser {
            keys = List.copyOf(keys);
        }
    }

    /** A user goes, with keys, tokens and memberships; legal while they have no boxes. */
    record RemoveUser(String by, String user, int boxes) implements AccountCommand {}

    record SetAdministrator(String by, String user, boolean administrator) implements AccountCommand {}

    record SetQuota(String by, String user, Optional<Quota> quota) implements AccountCommand {}

    record AddKey(KeyRow key) implements AccountCommand {}

    record RemoveKey(String user, String fingerprint) implements AccountCommand {}

    /** A token, no wider than the one that makes it. */
    record AddToken(TokenRow token) implements AccountCommand {}

    /**
     * A token counts no more, nor do those that were made with it.
     *
     * @param with the token that was shown; one with limits ends only itself and those that it made
     */
    record RevokeToken(String by, Optional<String> with, String token) implements AccountCommand {}

    /** An organisation whose only member is its owner. */
    record AddOrganisation(OrganisationRow organisation) implements AccountCommand {}

    /** A user is in an organisation, or has another role there. */
    record PutMember(String by, String organisation, String user, Role role) implements AccountCommand {}

    record RemoveMember(String by, String organisation, String user) implements AccountCommand {}

    record SetPool(String by, String organisation, Optional<Pool> pool) implements AccountCommand {}

    /** What a member may take of the pool; an owner says so. */
    record LimitMember(String by, String organisation, String user, Optional<Pool> limit) implements AccountCommand {}

    record Invite(InvitationRow invitation) implements AccountCommand {}

    record Withdraw(String by, String invitation) implements AccountCommand {}

    /** A user who is there already follows an invitation. */
    record Join(String invitationHash, String user, Instant at) implements AccountCommand {}

    /** Somebody follows an invitation and becomes a user. */
    record Enter(String invitationHash, Newcomer newcomer, Instant at) implements AccountCommand {}

    /** Somebody becomes a user because the server's settings let such people in. */
    record Admit(Newcomer newcomer) implements AccountCommand {}

    /** A user is this one elsewhere, too. */
    record Link(IdentityRow identity) implements AccountCommand {}

    /** Takes away what has expired. */
    record Sweep(Instant at) implements AccountCommand {}
}
