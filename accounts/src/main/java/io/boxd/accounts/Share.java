package io.boxd.accounts;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What one account or organisation may have, in its own name, or one member of an organisation.
 *
 * @param whose its name, for whoever is refused
 * @param raise what to say to get more, and to whom
 * @param drawing which boxes count against it
 */
public record Share(String whose, Quota quota, String raise, Drawing drawing) {
    private static final int NAMED = 3;

    /**
     * Which boxes count together.
     *
     * @param owner only theirs; empty: everybody's
     * @param organisation only those that belong to it
     * @param except not those that belong to one of these organisations
     */
    public record Drawing(Optional<String> owner, Optional<String> organisation, Set<String> except) {
        public Drawing {
            except = Set.copyOf(except);
        }

        boolean counts(Holding box) {
            return (owner.isEmpty() || owner.get().equals(box.owner()))
                    && (organisation.isEmpty() || organisation.equals(box.organisation()))
                    && box.organisation().filter(except::contains).isEmpty();
        }
    }

    /**
     * All that a box of this owner in this organisation is counted against: the pool, where there is one, and what its
     * owner may take of that; otherwise its owner's own quota.
     */
    public static List<Share> of(AccountRows rows, String owner, Optional<String> organisation, Quota usual) {
        Optional<OrganisationRow> pooled = organisation
                .flatMap(rows::organisation)
                .filter(one -> one.pool().isPresent());
        return pooled.map(one -> ofPool(rows, one, owner)).orElseGet(() -> List.of(own(rows, owner, usual)));
    }

    /** What is somebody's own, apart from the pools of organisations. */
    public static Share own(AccountRows rows, String owner, Quota usual) {
        Optional<UserRow> user = rows.user(owner);
        Set<String> pools = rows.organisations().stream()
                .filter(one -> one.pool().isPresent())
                .map(OrganisationRow::id)
                .collect(Collectors.toSet());
        return new Share(
                user.map(UserRow::name).orElse("nobody"),
                user.flatMap(UserRow::quota).orElse(usual),
                "ask an administrator (" + administrators(rows) + ") for more: boxd quota set "
                        + user.map(UserRow::name).orElse(""),
                new Drawing(Optional.of(owner), Optional.empty(), pools));
    }

    private static List<Share> ofPool(AccountRows rows, OrganisationRow organisation, String owner) {
        Optional<String> id = Optional.of(organisation.id());
        List<Share> shares = new ArrayList<>();
        shares.add(new Share(
                "the pool of " + organisation.name(),
                quota(organisation.pool().orElseThrow()),
                "ask an administrator (" + administrators(rows) + ") for more: boxd org pool " + organisation.name(),
                new Drawing(Optional.empty(), id, Set.of())));
        Optional.ofNullable(organisation.limits().get(owner)).ifPresent(limit -> {
            String member = rows.user(owner).map(UserRow::name).orElse("nobody");
            shares.add(new Share(
                    member + " in the pool of " + organisation.name(),
                    quota(limit),
                    "ask an owner of " + organisation.name() + " (" + owners(rows, organisation)
                            + ") for more: boxd org pool " + organisation.name() + " --member " + member,
                    new Drawing(Optional.of(owner), id, Set.of())));
        });
        return shares;
    }

    private static Quota quota(Pool pool) {
        return new Quota(
                pool.boxes(), pool.boxes(), pool.cpus(), pool.memoryBytes(), Long.MAX_VALUE, Integer.MAX_VALUE);
    }

    private static String administrators(AccountRows rows) {
        return named(rows.administrators().stream());
    }

    private static String owners(AccountRows rows, OrganisationRow organisation) {
        return named(organisation.members().keySet().stream()
                .filter(organisation::isOwner)
                .flatMap(id -> rows.user(id).stream()));
    }

    private static String named(Stream<UserRow> users) {
        return users.map(UserRow::name).sorted().limit(NAMED).collect(Collectors.joining(", "));
    }

    /** Those of all boxes that count against it. */
    public List<Holding> counted(Collection<Holding> all) {
        return all.stream().filter(drawing::counts).toList();
    }

    /** Throws if there is no room for this much more that is awake; what sleeps is counted where boxes are reserved. */
    public void requireAwake(Usage used, Usage more) {
        requireNumber("boxes that are awake", used.runningBoxes(), more.runningBoxes(), quota.runningBoxes());
        requireNumber("virtual processors", used.cpus(), more.cpus(), quota.cpus());
        requireBytes("memory", used.memoryBytes(), more.memoryBytes(), quota.memoryBytes());
    }

    private void requireNumber(String what, int used, int more, int limit) {
        if (more > 0 && (long) used + more > limit) {
            throw exceeded("%d more %s would be too many: %s may have %d, and there are %d"
                    .formatted(more, what, whose, limit, used));
        }
    }

    private void requireBytes(String what, long used, long more, long limit) {
        if (more > 0 && used > limit - more) {
            throw exceeded("%s more %s would be too much: %s may have %s, and %s are taken"
                    .formatted(shown(more), what, whose, shown(limit), shown(used)));
        }
    }

    private BoxdException exceeded(String message) {
        return new BoxdException(
                ErrorCode.QUOTA_EXCEEDED,
                message,
                "Put some boxes to sleep or destroy them (boxd list --all shows them), or " + raise + ".",
                null);
    }

    /** What somebody can do who may not have more that lasts. */
    public String hint() {
        return "Destroy what you do not need (boxd list --all and boxd snapshot list show it), or " + raise + ".";
    }

    private static String shown(long bytes) {
        long gib = 1L << 30;
        return bytes % gib == 0 ? (bytes / gib) + " GiB" : (bytes >> 20) + " MiB";
    }
}
