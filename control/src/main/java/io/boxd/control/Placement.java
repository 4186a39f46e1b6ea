package io.boxd.control;

import io.boxd.accounts.AccountRows;
import io.boxd.accounts.Allowance;
import io.boxd.accounts.Holding;
import io.boxd.accounts.OrganisationRow;
import io.boxd.accounts.Principal;
import io.boxd.accounts.Quota;
import io.boxd.accounts.Usage;
import io.boxd.vmm.MachineSize;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import io.boxd.worker.Sharing;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Where a box that somebody wants belongs, and whether there is room for it. */
final class Placement {
    private final AccountRows rows;
    private final Principal who;
    private final Quota usual;

    Placement(AccountRows rows, Principal who, Quota usual) {
        this.rows = rows;
        this.who = who;
        this.usual = usual;
    }

    /** What was said of organisation and sharing; whoever is in one organisation only need not name it. */
    Sharing sharing(Parameters said) {
        boolean shared = said.flag("shared");
        Optional<String> named = said.text("org");
        if (named.isEmpty() && !shared) {
            return Sharing.none();
        }
        List<OrganisationRow> theirs = rows.organisationsOf(who.user());
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

    /** Refuses so many more boxes of this size that are awake at once. */
    void requireRoom(Boxes all, Sharing sharing, MachineSize size, int count) {
        Holding one = new Holding(
                who.user(), sharing.organisation(), size.cpus(), size.memoryBytes(), size.diskBytes(), true);
        Usage more = Usage.of(Collections.nCopies(count, one), 0);
        allowance(who.user(), sharing.organisation()).require(used(all, who.user(), sharing.organisation()), more);
    }

    /** Refuses to wake a box for which there is no room, whoever wakes it. */
    static void requireRoomToWake(AccountRows rows, Quota usual, Boxes all, Box box) {
        Holding one = UsageVerbs.holdings(List.of(box)).getFirst();
        if (one.awake()) {
            return;
        }
        Usage used = Usage.of(
                Allowance.sharing(rows, UsageVerbs.holdings(all.list()), one.owner(), one.organisation()), 0);
        Allowance.of(rows, one.owner(), one.organisation(), usual).require(used, Usage.ofWaking(one));
    }

    private Allowance allowance(String owner, Optional<String> organisation) {
        return Allowance.of(rows, owner, organisation, usual);
    }

    private Usage used(Boxes all, String owner, Optional<String> organisation) {
        return Usage.of(Allowance.sharing(rows, UsageVerbs.holdings(all.list()), owner, organisation), 0);
    }
}
