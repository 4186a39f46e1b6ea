package io.boxd.accounts;

import java.time.Instant;
import java.util.Optional;

/**
 * Somebody.
 *
 * @param id of which there is never another, so that who comes later under the same name inherits nothing
 * @param administrator whether everything is theirs, also what is others'
 * @param quota what they may have; the server's own rule if there is none
 */
public record UserRow(String id, String name, boolean administrator, Instant createdAt, Optional<Quota> quota)
        implements AccountRow {
    @Override
    public String key() {
        return id;
    }

    UserRow administrating(boolean now) {
        return new UserRow(id, name, now, createdAt, quota);
    }

    UserRow with(Optional<Quota> newQuota) {
        return new UserRow(id, name, administrator, createdAt, newQuota);
    }
}
