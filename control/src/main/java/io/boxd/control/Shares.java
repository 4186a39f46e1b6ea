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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
        return Share.of(accounts.rows(), owner, sharing.organisation(), usual).stream()
                .map(Shares::allowance)
                .toList();
    }

    private static Allowance allowance(Share share) {
        Share.Drawing drawing = share.drawing();
        Counted counted = new Counted(drawing.owner(), drawing.organisation(), drawing.except());
        Quota quota = share.quota();
        return new Allowance(counted, quota.boxes(), quota.diskBytes(), quota.snapshots(), share.whose(), share.hint());
    }

    @Override
    public void require(List<Claim> awake, List<Claim> more) {
        AccountRows rows = accounts.rows();
        List<Holding> present = awake.stream().map(Shares::holding).toList();
        Map<Share, List<Holding>> wanted = new LinkedHashMap<>();
        for (Claim claim : more) {
            for (Share share : Share.of(rows, claim.owner(), claim.organisation(), usual)) {
                wanted.computeIfAbsent(share, _ -> new ArrayList<>()).add(holding(claim));
            }
        }
        wanted.forEach(
                (share, boxes) -> share.requireAwake(Usage.of(share.counted(present), 0), Usage.ofWaking(boxes)));
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
