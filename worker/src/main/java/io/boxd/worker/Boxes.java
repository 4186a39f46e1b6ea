package io.boxd.worker;

import io.boxd.common.Deadline;
import io.boxd.meter.Used;
import io.boxd.vmm.MachineSize;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * All boxes of this host: made, forked, kept, put to sleep and woken.
 *
 * <p>Thread-safe: what concerns one box is done one after the other, boxes do not wait for each other. What
 * returned has been written down and survives the end of this server. Boxes are named by id or name wherever
 * a parameter is called {@code box}; snapshots by id or label.
 */
public interface Boxes extends AutoCloseable {
    /** A new box; ready to run commands unless the order says not to wait. Takes its name at once, or fails. */
    Box create(NewBox order, Deadline deadline);

    /** Copies of a box that runs, stands by, is hibernated or stopped. */
    Forked fork(String box, ForkOrder order, Deadline deadline);

    /** All that are not destroyed, oldest first. */
    List<Box> list();

    /** The box; throws if there is none. */
    Box find(String box);

    Box rename(String box, String name);

    /** Puts on what has a value, takes off what has none. */
    Box label(String box, Map<String, Optional<String>> changes);

    /** Changes its size; another number of processors or other memory restarts it. A disk only grows. */
    Box resize(String box, MachineSize size, List<Allowance> allowances, Deadline deadline);

    Box setSleep(String box, SleepRules rules);

    /** Changes how it is reached by its names, from what it is when nobody else changes it. */
    Box admit(String box, UnaryOperator<Doorway> change);

    Moved move(String box, Move move, Deadline deadline);

    /** Destroys them, with their forks if the tree is meant; returns the ids of all that are gone. */
    List<String> destroy(List<String> boxes, boolean tree, Deadline deadline);

    KeptSnapshot snapshot(String box, SnapshotOrder order, Deadline deadline);

    /** All of a box, or all there are; oldest first. */
    List<KeptSnapshot> snapshots(Optional<String> box);

    KeptSnapshot findSnapshot(String snapshot);

    void forgetSnapshot(String snapshot);

    /** Makes a box what it was; returns the snapshot of the state that it left. */
    KeptSnapshot rollback(String box, String snapshot, Deadline deadline);

    /** The parent of this fork takes its state and keeps its own name and id; the fork is no more. */
    Box promote(String fork, Deadline deadline);

    /** Wakes the box if it sleeps and keeps it awake; the reason is shown by {@code why}. */
    Hold hold(String box, String reason, Deadline deadline);

    /**
     * Looks at a box that runs without being noticed: it is neither woken nor kept awake, and may fall asleep meanwhile.
     * Fails with {@code wrong_state} if it does not run.
     */
    Hold look(String box);

    /** A command has begun that ends by itself: keeps the box awake until it has, also after this server. */
    void commandBegun(String box);

    /** Keeps the box awake for so long, also after this server; wakes it. Returns when that ends. */
    Instant busy(String box, Duration time, Deadline deadline);

    Why why(String box);

    /** Figures of all boxes, oldest first. */
    List<BoxFigures> figures();

    /** What boxes have used since a time, up to now; those that are gone, too. */
    List<Used> used(Instant since);

    /** How many machines were made ahead and are nobody's yet. */
    int spareMachines();

    /** The last kilobytes that its machine has written to the serial console; hostile text. */
    String console(String box);

    /** Hibernates every box, for a host that is about to go down; the next server on this host wakes those that ran. */
    void hibernateAll(Deadline deadline);

    /** Lets go of all machines, which run on without this server. */
    @Override
    void close();
}
