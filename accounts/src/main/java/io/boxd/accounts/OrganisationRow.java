package io.boxd.accounts;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Users who share boxes, and what they may have together.
 *
 * @param members by the ids of users
 * @param pool what boxes of this organisation may take together; each draws from it instead of from its owner's quota
 * @param limits what single members may take of the pool, by their ids; the others may take all of it
 */
public record OrganisationRow(
        String id,
        String name,
        Map<String, Role> members,
        Optional<Pool> pool,
        Map<String, Pool> limits,
        Instant createdAt)
        implements AccountRow {
    /** Rows of earlier versions have no limits. */
    public OrganisationRow {
        members = Collections.unmodifiableMap(new TreeMap<>(members));
        limits = limits == null ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(limits));
    }

    /** One whose members have no limits of their own. */
    public OrganisationRow(String id, String name, Map<String, Role> members, Optional<Pool> pool, Instant createdAt) {
        this(id, name, members, pool, Map.of(), createdAt);
    }

    @Override
    public String key() {
        return id;
    }

    public boolean has(String user) {
        return members.containsKey(user);
    }

    public boolean isOwner(String user) {
        return members.get(user) == Role.OWNER;
    }

    /** Whether nobody else could let others in. */
    boolean isLastOwner(String user) {
        return isOwner(user)
                && members.values().stream().filter(Role.OWNER::equals).count() == 1;
    }

    OrganisationRow with(String user, Role role) {
        Map<String, Role> next = new TreeMap<>(members);
        next.put(user, role);
        return new OrganisationRow(id, name, next, pool, limits, createdAt);
    }

    OrganisationRow without(String user) {
        Map<String, Role> next = new TreeMap<>(members);
        next.remove(user);
        return new OrganisationRow(id, name, next, pool, limited(user, Optional.empty()), createdAt);
    }

    OrganisationRow with(Optional<Pool> newPool) {
        return new OrganisationRow(id, name, members, newPool, limits, createdAt);
    }

    OrganisationRow limiting(String user, Optional<Pool> limit) {
        return new OrganisationRow(id, name, members, pool, limited(user, limit), createdAt);
    }

    private Map<String, Pool> limited(String user, Optional<Pool> limit) {
        Map<String, Pool> next = new TreeMap<>(limits);
        next.remove(user);
        limit.ifPresent(pool -> next.put(user, pool));
        return next;
    }
}
