package io.boxd.accounts;

import java.time.Instant;
import java.util.Optional;

/**
 * A secret by which a user is known to programs; the secret itself is not kept.
 *
 * @param hash of the secret ({@link Secrets#hash})
 * @param note what it is for, in the words of whoever made it
 * @param maker the token that made it, which it ends with
 */
public record TokenRow(
        String id,
        String user,
        String hash,
        String note,
        Scopes scopes,
        Optional<String> maker,
        Instant createdAt,
        Optional<Instant> expiresAt)
        implements AccountRow {
    @Override
    public String key() {
        return id;
    }

    /** Whether it still counts. */
    public boolean holds(Instant now) {
        return expiresAt.isEmpty() || now.isBefore(expiresAt.get());
    }
}
