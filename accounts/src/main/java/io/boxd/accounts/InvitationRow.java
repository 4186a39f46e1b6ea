package io.boxd.accounts;

import java.time.Instant;
import java.util.Optional;

/**
 * Lets one person in, once.
 *
 * @param hash of the secret that was given to them
 * @param organisation that they become a member of
 * @param role in it
 * @param by who has invited them
 */
public record InvitationRow(
        String id,
        String hash,
        Optional<String> organisation,
        Role role,
        String by,
        Instant createdAt,
        Instant expiresAt)
        implements AccountRow {
    @Override
    public String key() {
        return id;
    }

    public boolean holds(Instant now) {
        return now.isBefore(expiresAt);
    }
}
