package io.boxd.control;

import io.boxd.accounts.AccountRecord;
import io.boxd.accounts.AccountRows;
import io.boxd.accounts.Holding;
import io.boxd.accounts.OrganisationRow;
import io.boxd.accounts.Quota;
import io.boxd.accounts.Share;
import io.boxd.accounts.Usage;
import io.boxd.worker.Admission;
import io.boxd.worker.Allowance;
import io.boxd.worker.Box;
import io.boxd.worker.Claim;
import io.boxd.worker.Counted;
import io.boxd.worker.Sharing;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Whose share boxes are counted against: that of an organisation that has a pool, else that of their owner. */
public final class Shares implements Admission {
    private final AccountRecord accounts;
    private final Quota usual;

    /** @param usual what an account may have unless an administrator says otherwise */
    public Shares(AccountRecord accounts, Quota usual) {
        this.accounts = accounts;
        this.usual = usual;
    }

    Quota usual() {
        return usual;
    }

    /** What was said of organisation and sharing; whoever is in one organisation only need not name it. */
    Sharing sharing(Asked asked) {
        boolean shared = asked.said().flag("shared");
        Optional<String> named = asked.said().text("org");
        if (named.isEmpty() && !shared) {
            return Sharing.none();
        }
        List<OrganisationRow> theirs =
                accounts.rows().organisationsOf(asked.who().user());
        OrganisationRow organisation = named.map(name -> theirs.stream()
                        .filter(one -> one.name().equals(name))
                        .findFirst()
                        .orElseThrow(() -> Failures.notFound(
                                "there is no organisation " + Printable.line(name), "See them all: boxd org list.")))
                .orElseGet(() -> only(theirs));
        return new Sharing(Optional.of(organisation.id()), shared);
    }

    private static OrganisationRow only(List<OrganisationRow> theirs) {
        if (theirs.size() != 1) {
            throw Failures.invalid(
                    theirs.isEmpty()
                            ? "a box is shared in an organisation, and you are in none"
                            : "a box is shared in one organisation, and you are in several",
                    theirs.isEmpty() ? "Make one: boxd org create NAME." : "Say which: --org NAME.");
        }
        return theirs.getFirst();
    }

    /** What another box, or a larger disk or one more snapshot of this one, must fit into. */
    List<Allowance> of(Box box) {
        return of(box.owner(), box.sharing());
    }

    /** What a box of this owner must fit into. */
    List<Allowance> of(String owner, Sharing sharing) {
        AccountRows rows = accounts.rows();
        Share share = share(rows, owner, sharing.organisation());
        Quota quota = share.quota();
        Counted counted = sharing.organisation()
                .filter(id -> pooled(rows).contains(id))
                .map(Counted::in)
                .orElseGet(() -> Counted.of(owner, pooled(rows)));
        return List.of(new Allowance(
                counted, quota.boxes(), quota.diskBytes(), quota.snapshots(), share.whose(), share.hint()));
    }

    private static Set<String> pooled(AccountRows rows) {
        return rows.organisations().stream()
                .filter(one -> one.pool().isPresent())
                .map(OrganisationRow::id)
                .collect(Collectors.toSet());
    }

    private Share share(AccountRows rows, String owner, Optional<String> organisation) {
        return Share.of(rows, owner, organisation, usual);
    }

    @Override
    public void require(List<Claim> awake, List<Claim> more) {
        AccountRows rows = accounts.rows();
        List<Holding> present = awake.stream().map(Shares::holding).toList();
        Map<Share, List<Claim>> wanted = more.stream()
                .collect(Collectors.groupingBy(
                        claim -> share(rows, claim.owner(), claim.organisation()),
                        LinkedHashMap::new,
                        Collectors.toList()));
        wanted.forEach((share, claims) -> {
            Claim one = claims.getFirst();
            List<Holding> theirs = Share.sharing(rows, present, one.owner(), one.organisation());
            share.requireAwake(
                    Usage.of(theirs, 0),
                    Usage.ofWaking(claims.stream().map(Shares::holding).toList()));
        });
    }

    private static Holding holding(Claim claim) {
        return new Holding(
                claim.owner(),
                claim.organisation(),
                claim.size().cpus(),
                claim.size().memoryBytes(),
                claim.size().diskBytes(),
                true);
    }
}
