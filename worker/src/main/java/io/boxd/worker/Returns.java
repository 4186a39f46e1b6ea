package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.vmm.Machine;
import io.boxd.vmm.MachineSize;
import io.boxd.vmm.Remains;
import io.boxd.vmm.Snapshot;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Boxes that become what they were, or what their forks are.
 *
 * <p>What is intended is written down together with the state that is left; the generation of the box's
 * machine tells a later server whether it came to be.
 */
final class Returns {
    private static final SnapshotOrder LEFT =
            new SnapshotOrder(KeptSnapshot.Cause.LEFT, Optional.empty(), Optional.empty(), Optional.empty());

    private final Workshop shop;
    private final Roster roster;
    private final Lives lives;
    private final Instants instants;
    private final Timeline timeline;
    private final Destroyer destroyer;

    Returns(Workshop shop, Roster roster, Lives lives, Instants instants, Timeline timeline, Destroyer destroyer) {
        this.shop = shop;
        this.roster = roster;
        this.lives = lives;
        this.instants = instants;
        this.timeline = timeline;
        this.destroyer = destroyer;
    }

    /** Makes a box what it was; returns the snapshot of what it left. */
    KeptSnapshot rollback(HostedBox box, KeptRow target, Deadline deadline) {
        if (!target.box().equals(box.id())) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "snapshot " + target.id() + " is not of " + box.name(),
                    "Make a new box of it: boxd new --from SNAPSHOT.",
                    null);
        }
        haveState(box, deadline);
        Snapshot snapshot = instants.require(target.instant());
        return box.exclusively(
                deadline,
                () -> become(
                        box,
                        snapshot,
                        new Goal(Optional.of(target.id()), Optional.empty(), target.size(), 0),
                        "it was rolled back to " + target.snapshot().label().orElse(target.id()),
                        deadline));
    }

    /** One that has only a disk is started, so that what it leaves can be kept. */
    private void haveState(HostedBox box, Deadline deadline) {
        switch (box.life()) {
            case STOPPED, FAILED, DORMANT ->
                lives.happen(box, new LifeEvent.Asked(Move.START), "it is about to be replaced", deadline);
            case STARTING, RUNNING, STANDBY, HIBERNATED, DESTROYED -> {
                // It has what is needed, or will refuse.
            }
        }
    }

    /** @param generation that the state has already reached elsewhere */
    private record Goal(Optional<String> target, Optional<String> fork, MachineSize size, long generation) {}

    /** Under the box's lock. */
    private KeptSnapshot become(HostedBox box, Snapshot snapshot, Goal goal, String because, Deadline deadline) {
        if (box.isLeaving()) {
            throw new BoxdException(ErrorCode.WRONG_STATE, box.name() + " is about to be no more");
        }
        KeptRow left = timeline.capture(box, LEFT, deadline);
        long generation = 1
                + Math.max(
                        goal.generation(),
                        instants.require(left.instant()).identity().generation());
        Intent intent = new Intent(goal.target(), goal.fork(), left.id(), generation);
        timeline.record(left, new BoxCommand.Intend(box.id(), intent, left));
        try {
            lives.acts().become(box, snapshot, generation, deadline);
        } catch (RuntimeException e) {
            shop.record().apply(new BoxCommand.Abandon(box.id()));
            instants.release(left.instant());
            throw e;
        }
        Optional<String> cameFrom = goal.target().isPresent() ? goal.target() : Optional.of(left.id());
        shop.record().apply(new BoxCommand.Become(box.id(), cameFrom, goal.size()));
        lives.settle(box, Life.RUNNING, because);
        box.arrive(Life.RUNNING, because, Instant.now());
        lives.noteArrival(box);
        return left.snapshot();
    }

    /** The parent takes the state of its fork, which is no more. */
    HostedBox promote(HostedBox fork, Deadline deadline) {
        String parentId = fork.row()
                .forkedFrom()
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.WRONG_STATE, fork.name() + " is no fork", "Only forks can be promoted.", null));
        HostedBox parent = roster.find(parentId);
        haveState(fork, deadline);
        haveState(parent, deadline);
        // First asleep, so that not two of the same act on the world.
        lives.happen(fork, new LifeEvent.Asked(Move.HIBERNATE), "it is being promoted", deadline);
        fork.leave();
        try {
            Snapshot state = fork.exclusively(deadline, () -> instants.require(Acts.memoryOf(fork)));
            Goal goal = new Goal(
                    Optional.empty(),
                    Optional.of(fork.id()),
                    fork.row().settings().size(),
                    state.identity().generation());
            parent.exclusively(
                    deadline, () -> become(parent, state, goal, "it took the state of " + fork.name(), deadline));
        } catch (RuntimeException e) {
            fork.stayAfterAll();
            lives.byItself(fork, () -> lives.use(fork, "it was not promoted", deadline));
            throw e;
        }
        destroyer.destroy(List.of(fork), false, parent.name() + " took its state", deadline);
        return parent;
    }

    /** Finishes, or takes back, what an earlier server was about to do. */
    void settle(HostedBox box) {
        Optional<Intent> intended = box.row().condition().intent();
        if (intended.isEmpty()) {
            return;
        }
        Intent intent = intended.get();
        if (generation(box) < intent.generation()) {
            shop.record().apply(new BoxCommand.Abandon(box.id()));
            return;
        }
        Optional<String> cameFrom = intent.target().isPresent() ? intent.target() : Optional.of(intent.left());
        shop.record().apply(new BoxCommand.Become(box.id(), cameFrom, size(box, intent)));
        intent.fork()
                .filter(shop.record().rows().boxes()::containsKey)
                .ifPresent(fork -> shop.record().apply(new BoxCommand.Doom(List.of(fork), Instant.now())));
    }

    private long generation(HostedBox box) {
        Machine machine = box.machine();
        Remains remains = box.remains();
        String memory = box.memory();
        if (machine != null) {
            return machine.identity().generation();
        }
        if (remains != null) {
            return remains.identity().generation();
        }
        return memory == null ? 0 : instants.require(memory).identity().generation();
    }

    /** That of what it has become. */
    private MachineSize size(HostedBox box, Intent intent) {
        BoxRows rows = shop.record().rows();
        Optional<MachineSize> ofTarget = intent.target()
                .flatMap(id -> Optional.ofNullable(rows.snapshots().get(id)))
                .map(KeptRow::size);
        Optional<MachineSize> ofFork = intent.fork()
                .flatMap(id -> Optional.ofNullable(rows.boxes().get(id)))
                .map(row -> row.settings().size());
        return ofTarget.or(() -> ofFork).orElse(box.row().settings().size());
    }
}
