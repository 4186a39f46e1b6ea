package io.boxd.accounts;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What one account or organisation may have, in its own name.
 *
 * @param whose its name, for whoever is refused
 * @param raise what to say to get more, and to whom
 */
public record Share(String whose, Quota quota, String raise) {
    private static final int NAMED = 3;

    /** Which share a box of this owner in this organisation is counted against: the pool, where there is one. */
    public static Share of(AccountRows rows, String owner, Optional<String> organisation, Quota usual) {
        Optional<OrganisationRow> pooled = organisation
                .flatMap(rows::organisation)
                .filter(one -> one.pool().isPresent());
        String whom = rows.administrators().stream()
                .map(UserRow::name)
                .sorted()
                .limit(NAMED)
                .collect(Collectors.joining(", "));
        if (pooled.isPresent()) {
            Pool pool = pooled.get().pool().orElseThrow();
            return new Share(
                    "the pool of " + pooled.get().name(),
                    new Quota(
                            pool.boxes(),
                            pool.boxes(),
                            pool.cpus(),
                            pool.memoryBytes(),
                            Long.MAX_VALUE,
                            Integer.MAX_VALUE),
                    "ask an administrator (" + whom + ") for more: boxd org pool "
                            + pooled.get().name());
        }
        Optional<UserRow> user = rows.user(owner);
        return new Share(
                user.map(UserRow::name).orElse("nobody"),
                user.flatMap(UserRow::quota).orElse(usual),
                "ask an administrator (" + whom + ") for more: boxd quota set "
                        + user.map(UserRow::name).orElse(""));
    }

    /** Those of all boxes that count against the same share as a box of this owner in this organisation. */
    public static List<Holding> sharing(
            AccountRows rows, Collection<Holding> all, String owner, Optional<String> organisation) {
        boolean pooled = organisation.filter(id -> hasPool(rows, id)).isPresent();
        return all.stream()
                .filter(box -> pooled
                        ? box.organisation().equals(organisation)
                        : box.owner().equals(owner)
                                && box.organisation()
                                        .filter(id -> hasPool(rows, id))
                                        .isEmpty())
                .toList();
    }

    private static boolean hasPool(AccountRows rows, String organisation) {
        return rows.organisation(organisation)
                .filter(one -> one.pool().isPresent())
                .isPresent();
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
