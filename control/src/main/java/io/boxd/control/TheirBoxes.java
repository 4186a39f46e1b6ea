package io.boxd.control;

import io.boxd.accounts.Access;
import io.boxd.accounts.AccountRows;
import io.boxd.accounts.BoxFacts;
import io.boxd.accounts.Deed;
import io.boxd.accounts.Principal;
import io.boxd.accounts.Visibility;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.meter.Used;
import io.boxd.verbs.Right;
import io.boxd.vmm.MachineSize;
import io.boxd.worker.Allowance;
import io.boxd.worker.Box;
import io.boxd.worker.BoxFigures;
import io.boxd.worker.Boxes;
import io.boxd.worker.Doorway;
import io.boxd.worker.ForkOrder;
import io.boxd.worker.Forked;
import io.boxd.worker.Hold;
import io.boxd.worker.KeptSnapshot;
import io.boxd.worker.Move;
import io.boxd.worker.Moved;
import io.boxd.worker.NewBox;
import io.boxd.worker.SleepRules;
import io.boxd.worker.SnapshotOrder;
import io.boxd.worker.Why;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The boxes of this host as one caller has them for one deed: others are not there.
 *
 * <p>Whatever is done to a box goes through here, so that nothing can forget to ask {@link Access}.
 */
final class TheirBoxes implements Boxes {
    private final Boxes all;
    private final AccountRows rows;
    private final Principal who;
    private final Deed deed;

    TheirBoxes(Boxes all, AccountRows rows, Principal who, Deed deed) {
        this.all = all;
        this.rows = rows;
        this.who = who;
        this.deed = deed;
    }

    private BoxFacts facts(Box box) {
        return rows.box(
                box.owner(),
                box.sharing().organisation(),
                box.sharing().shared() ? Visibility.SHARED : Visibility.PRIVATE,
                box.labels());
    }

    private boolean isSeen(Box box) {
        return Access.isAllowed(who, new Deed(deed.verb(), Right.READ), facts(box));
    }

    /** By the words in which it was asked for; one that is not theirs is answered as one that is not there. */
    private Box require(String said) {
        Box box;
        try {
            box = all.find(said);
        } catch (BoxdException e) {
            throw e.code() == ErrorCode.NOT_FOUND ? Access.noBox(said) : e;
        }
        Access.require(who, deed, facts(box), said);
        return box;
    }

    /** What a token is for some labels only makes has them, too. */
    private void requireLabels(Map<String, String> labels) {
        if (!labels.entrySet().containsAll(who.scopes().labels().entrySet())) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED,
                    "this token is for boxes with certain labels",
                    "Say them: "
                            + who.scopes().labels().entrySet().stream()
                                    .map(label -> "--label " + label.getKey() + "=" + label.getValue())
                                    .collect(Collectors.joining(" "))
                            + ".",
                    null);
        }
    }

    @Override
    public Box create(NewBox order, Deadline deadline) {
        requireLabels(order.labels());
        return all.create(order, deadline);
    }

    @Override
    public Forked fork(String box, ForkOrder order, Deadline deadline) {
        requireLabels(order.labels());
        return all.fork(require(box).id(), order, deadline);
    }

    @Override
    public List<Box> list() {
        return all.list().stream().filter(this::isSeen).toList();
    }

    @Override
    public Box find(String box) {
        return require(box);
    }

    @Override
    public Box rename(String box, String name) {
        return all.rename(require(box).id(), name);
    }

    @Override
    public Box label(String box, Map<String, Optional<String>> changes) {
        return all.label(require(box).id(), changes);
    }

    @Override
    public Box resize(String box, MachineSize size, List<Allowance> allowances, Deadline deadline) {
        return all.resize(require(box).id(), size, allowances, deadline);
    }

    @Override
    public Box setSleep(String box, SleepRules rules) {
        return all.setSleep(require(box).id(), rules);
    }

    @Override
    public Box admit(String box, UnaryOperator<Doorway> change) {
        return all.admit(require(box).id(), change);
    }

    @Override
    public Hold look(String box) {
        return all.look(require(box).id());
    }

    @Override
    public Moved move(String box, Move move, Deadline deadline) {
        return all.move(require(box).id(), move, deadline);
    }

    @Override
    public List<String> destroy(List<String> boxes, boolean tree, Deadline deadline) {
        List<String> ids = boxes.stream().map(box -> require(box).id()).toList();
        if (tree) {
            requireForks(ids);
        }
        return all.destroy(ids, tree, deadline);
    }

    /** Forks may be somebody else's; then all of them stay. */
    private void requireForks(List<String> roots) {
        List<Box> everything = all.list();
        List<String> tree = new ArrayList<>(roots);
        for (int i = 0; i < tree.size(); i++) {
            Optional<String> parent = Optional.of(tree.get(i));
            for (Box box : everything) {
                if (box.forkedFrom().equals(parent) && !tree.contains(box.id())) {
                    if (!Access.isAllowed(who, deed, facts(box))) {
                        throw new BoxdException(
                                ErrorCode.PERMISSION_DENIED,
                                "some of its forks are not yours to destroy",
                                "Destroy those that are by name.",
                                null);
                    }
                    tree.add(box.id());
                }
            }
        }
    }

    @Override
    public KeptSnapshot snapshot(String box, SnapshotOrder order, Deadline deadline) {
        return all.snapshot(require(box).id(), order, deadline);
    }

    @Override
    public List<KeptSnapshot> snapshots(Optional<String> box) {
        if (box.isPresent()) {
            return all.snapshots(Optional.of(require(box.get()).id()));
        }
        Set<String> seen = list().stream().map(Box::id).collect(Collectors.toSet());
        Set<String> there = all.list().stream().map(Box::id).collect(Collectors.toSet());
        return all.snapshots(Optional.empty()).stream()
                .filter(kept -> seen.contains(kept.box()) || (who.administrator() && !there.contains(kept.box())))
                .toList();
    }

    @Override
    public KeptSnapshot findSnapshot(String snapshot) {
        KeptSnapshot kept = all.findSnapshot(snapshot);
        Optional<Box> box =
                all.list().stream().filter(one -> one.id().equals(kept.box())).findFirst();
        boolean allowed = box.map(one -> Access.isAllowed(who, deed, facts(one)))
                .orElse(who.administrator() && who.scopes().labels().isEmpty());
        if (!allowed) {
            throw new BoxdException(
                    ErrorCode.NOT_FOUND, "there is no snapshot " + snapshot, "See them all: boxd snapshot list.", null);
        }
        return kept;
    }

    @Override
    public void forgetSnapshot(String snapshot) {
        all.forgetSnapshot(findSnapshot(snapshot).id());
    }

    @Override
    public KeptSnapshot rollback(String box, String snapshot, Deadline deadline) {
        return all.rollback(require(box).id(), findSnapshot(snapshot).id(), deadline);
    }

    @Override
    public Box promote(String fork, Deadline deadline) {
        Box box = require(fork);
        box.forkedFrom().ifPresent(this::require);
        return all.promote(box.id(), deadline);
    }

    @Override
    public Hold hold(String box, String reason, Deadline deadline) {
        return all.hold(require(box).id(), reason, deadline);
    }

    @Override
    public void commandBegun(String box) {
        all.commandBegun(require(box).id());
    }

    @Override
    public Instant busy(String box, Duration time, Deadline deadline) {
        return all.busy(require(box).id(), time, deadline);
    }

    @Override
    public Why why(String box) {
        return all.why(require(box).id());
    }

    @Override
    public List<BoxFigures> figures() {
        return all.figures().stream().filter(one -> isSeen(one.box())).toList();
    }

    /** Whose it is stands with each, for whoever asks to filter. */
    @Override
    public List<Used> used(Instant since) {
        return all.used(since);
    }

    @Override
    public int spareMachines() {
        return all.spareMachines();
    }

    @Override
    public String console(String box) {
        return all.console(require(box).id());
    }

    @Override
    public void hibernateAll(Deadline deadline) {
        throw new IllegalStateException("this is for the server itself");
    }

    /** These are only a view. */
    @Override
    public void close() {}
}
