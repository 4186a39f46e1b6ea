package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.vmm.Found;
import io.boxd.vmm.Machine;
import io.boxd.vmm.Remains;
import io.boxd.vmm.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Brings together what the record says, what runs and what is on disk, when a server starts.
 *
 * <p>What runs wins over what is written; what was being made and promised to nobody is undone, what was promised
 * or being destroyed is finished; what belongs to no box is removed.
 */
final class Recovery {
    private static final Duration BY_ITSELF = Duration.ofMinutes(15);
    private static final String POWER_CUT = "its host stopped without warning; it was started from its disk";

    private final Workshop shop;
    private final Roster roster;
    private final Lives lives;
    private final Maker maker;
    private final Returns returns;
    private final Destroyer destroyer;
    private final Map<String, Machine> machines = new HashMap<>();
    private final Map<String, Remains> remains = new HashMap<>();
    private final Map<String, Snapshot> snapshots = new HashMap<>();
    private final List<Runnable> later = new ArrayList<>();

    Recovery(Workshop shop, Roster roster, Lives lives, Maker maker, Returns returns, Destroyer destroyer) {
        this.shop = shop;
        this.roster = roster;
        this.lives = lives;
        this.maker = maker;
        this.returns = returns;
        this.destroyer = destroyer;
    }

    void recover(Found found, String boot, Deadline deadline) {
        found.machines().forEach(machine -> machines.put(machine.identity().machineId(), machine));
        found.remains().forEach(gone -> remains.put(gone.identity().machineId(), gone));
        shop.engine().snapshots().forEach(snapshot -> snapshots.put(snapshot.id(), snapshot));
        BoxRows rows = shop.record().rows();
        boolean sameBoot = rows.hostBoot().equals(boot);
        for (BoxRow row : rows.boxes().values()) {
            adopt(row, rows, sameBoot);
        }
        machines.values().forEach(Machine::close);
        remains.values().forEach(shop.engine()::discard);
        roster.all().forEach(returns::settle);
        finishDestroying(deadline);
        removeOrphans();
        roster.all().forEach(this::watchAgain);
        shop.ways().removeUnclaimed();
        shop.record().apply(new BoxCommand.HostSeen(boot));
        roster.all().forEach(lives::noteArrival);
        shop.witness()
                .found(roster.all().stream()
                        .map(box -> Lives.event(box, BoxEvent.Kind.NOTICED, box.because()))
                        .toList());
        startLater();
    }

    private void adopt(BoxRow row, BoxRows rows, boolean sameBoot) {
        Machine machine = machines.remove(row.machineId());
        Remains gone = remains.remove(row.machineId());
        Optional<String> memory = machine == null && gone == null ? memoryOf(row, rows) : Optional.empty();
        Life life = life(row, machine, gone, memory, sameBoot);
        HostedBox box = new HostedBox(row.id(), life, shop.record(), Instant.now());
        box.arrive(life, because(life), Instant.now());
        roster.add(box);
        if (machine != null) {
            lives.acts().receive(box, machine);
        } else if (gone != null) {
            box.has(gone);
        } else {
            memory.ifPresent(box::hasMemory);
        }
        settle(box, row, sameBoot);
    }

    private static String because(Life life) {
        return life == Life.RUNNING || life == Life.STANDBY || life == Life.HIBERNATED
                ? "it was so when this server started"
                : "";
    }

    /** A box without a machine sleeps in what nobody has kept by name, or else in what was kept while it slept. */
    private Optional<String> memoryOf(BoxRow row, BoxRows rows) {
        Optional<String> own = snapshots.values().stream()
                .filter(snapshot -> snapshot.identity().machineId().equals(row.machineId()))
                .filter(snapshot -> !rows.keeps(snapshot.id()))
                .max(Comparator.comparingLong(snapshot -> snapshot.identity().generation()))
                .map(Snapshot::id);
        if (own.isPresent()) {
            return own;
        }
        return rows.snapshotsOf(row.id()).stream()
                .filter(kept -> kept.memory() && snapshots.containsKey(kept.instant()))
                .map(KeptRow::instant)
                .reduce((_, newer) -> newer);
    }

    private static Life life(
            BoxRow row, @Nullable Machine machine, @Nullable Remains gone, Optional<String> memory, boolean sameBoot) {
        if (machine != null) {
            return machine.state() == Machine.State.STANDBY ? Life.STANDBY : Life.RUNNING;
        }
        if (memory.isPresent() && row.standing() != Standing.DOOMED && row.standing() != Standing.RESERVED) {
            return Life.HIBERNATED;
        }
        return switch (row.standing()) {
            // Nobody waits for it, so it is not being made.
            case RESERVED -> Life.STOPPED;
            case PROMISED -> gone == null ? Life.STARTING : Life.DORMANT;
            case LIVE -> gone == null || sameBoot ? Life.FAILED : Life.DORMANT;
            case RESTARTING, DORMANT -> gone == null ? Life.FAILED : Life.DORMANT;
            case STOPPED -> Life.STOPPED;
            case FAILED -> Life.FAILED;
            case DOOMED -> Life.STOPPED;
        };
    }

    /** Writes down what is so now, and plans what is to be done about it. */
    private void settle(HostedBox box, BoxRow row, boolean sameBoot) {
        switch (row.standing()) {
            case RESERVED, DOOMED -> box.leave();
            case LIVE, RESTARTING, PROMISED, DORMANT, STOPPED, FAILED -> settleWanted(box, row, sameBoot);
        }
    }

    private void settleWanted(HostedBox box, BoxRow row, boolean sameBoot) {
        Remains gone = box.remains();
        switch (box.life()) {
            case RUNNING, STANDBY, HIBERNATED -> {
                if (row.standing() == Standing.PROMISED) {
                    shop.record().apply(BoxCommand.Made.of(List.of(row.id()), 0, 0, Instant.now()));
                } else if (row.standing() != Standing.LIVE) {
                    lives.settle(box, box.life(), "");
                }
                remember(box, row);
            }
            case STARTING -> later.add(() -> maker.makeSoon(box, System.nanoTime()));
            case DORMANT -> {
                boolean stoodBy = gone != null && gone.standby() && row.standing() == Standing.LIVE;
                if (stoodBy) {
                    String why = "its host stopped while it stood by; it starts when it is used";
                    lives.settle(box, Life.DORMANT, why);
                    lives.tell(box, BoxEvent.Kind.STOPPED, why);
                } else if (row.standing() != Standing.DORMANT) {
                    later.add(() -> start(
                            box,
                            row.standing() == Standing.LIVE
                                    ? POWER_CUT
                                    : row.condition().reason()));
                }
            }
            case FAILED -> {
                if (row.standing() != Standing.FAILED) {
                    String why = gone == null || !sameBoot
                            ? "neither its memory nor its disk was found"
                            : "its machine ended while no server watched it";
                    lives.settle(box, Life.FAILED, why);
                    lives.tell(box, BoxEvent.Kind.FAILED, why);
                }
            }
            case STOPPED, DESTROYED -> {
                // As it was wanted.
            }
        }
    }

    /** Those that ran when the host was shut down in order run again. */
    private void remember(HostedBox box, BoxRow row) {
        if (row.condition().ran()) {
            shop.record().apply(new BoxCommand.Remember(List.of(box.id()), false));
            if (box.life() == Life.HIBERNATED) {
                later.add(() -> lives.byItself(box, () -> lives.use(box, "its host is back", Deadline.in(BY_ITSELF))));
            }
        }
    }

    private void start(HostedBox box, String why) {
        lives.byItself(box, () -> {
            try {
                lives.happen(box, new LifeEvent.Used(), why, Deadline.in(BY_ITSELF));
            } catch (BoxdException e) {
                box.exclusively(Deadline.in(BY_ITSELF), () -> {
                    lives.fallBack(box, why, e, Deadline.in(BY_ITSELF));
                    return true;
                });
            }
        });
    }

    private void finishDestroying(Deadline deadline) {
        List<HostedBox> doomed = roster.all().stream()
                .filter(box -> box.isLeaving() || box.row().standing() == Standing.DOOMED)
                .toList();
        if (!doomed.isEmpty()) {
            destroyer.destroy(doomed, false, "the last server ended while it was being made or destroyed", deadline);
        }
    }

    private void removeOrphans() {
        BoxRows rows = shop.record().rows();
        for (Snapshot snapshot : shop.engine().snapshots()) {
            if (!rows.keeps(snapshot.id()) && !roster.sleepsIn(snapshot.id())) {
                shop.engine().forget(snapshot);
            }
        }
    }

    /** Packets for those that sleep come to this server from now on. */
    private void watchAgain(HostedBox box) {
        List<String> addresses = box.row().condition().addresses();
        Machine machine = box.machine();
        switch (box.life()) {
            case RUNNING, STANDBY, HIBERNATED -> {
                box.watched(shop.ways().watchAgain(addresses, lives.knocked(box)));
                if (box.life() == Life.RUNNING && machine != null) {
                    lives.acts().deliver(box, machine);
                }
            }
            case STARTING, DORMANT, STOPPED, FAILED, DESTROYED -> {
                // Nobody is reached there.
            }
        }
    }

    /** A few at a time, so that the first are soon there. */
    private void startLater() {
        Semaphore few = new Semaphore(Runtime.getRuntime().availableProcessors());
        for (Runnable one : later) {
            Thread.ofVirtual().name("after-start").start(() -> {
                few.acquireUninterruptibly();
                try {
                    one.run();
                } finally {
                    few.release();
                }
            });
        }
    }
}
