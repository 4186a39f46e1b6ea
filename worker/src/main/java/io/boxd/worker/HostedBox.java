package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.network.Watch;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import io.boxd.vmm.Remains;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One box on this host: where it is in its life and what it has there.
 *
 * <p>What changes it is done under its lock, one after the other; anybody may look at any time. Nobody who
 * has the lock of a box takes that of another.
 */
final class HostedBox {
    private final String id;
    private final BoxRecord record;
    private final Activity activity;
    private final ReentrantLock lock = new ReentrantLock();
    private final CompletableFuture<Boolean> made = new CompletableFuture<>();

    private volatile Life life;
    private volatile Instant since;
    private volatile String because = "";
    private volatile @Nullable Machine machine;
    private volatile @Nullable Remains remains;
    /** The engine's snapshot that it wakes from. */
    private volatile @Nullable String memory;

    private @Nullable Watch watch;
    /** Set while it is being put to sleep by itself: whoever takes a hold now has to wait for that. */
    private volatile boolean sleepy;
    /** Set while it is on its way from one state to another. */
    private volatile boolean changing;
    /** Set once it is to be no more, though it still is. */
    private volatile boolean leaving;

    HostedBox(String id, Life life, BoxRecord record, Instant now) {
        this.id = id;
        this.life = life;
        this.record = record;
        this.since = now;
        this.activity = new Activity(now);
        if (life != Life.STARTING) {
            made.complete(true);
        }
    }

    String id() {
        return id;
    }

    BoxRow row() {
        return record.rows().box(id);
    }

    /** Whom it concerns, as long as it is known. */
    Optional<BoxEvent.Whose> whose() {
        return Optional.ofNullable(record.rows().boxes().get(id)).map(BoxEvent.Whose::of);
    }

    String name() {
        BoxRow row = record.rows().boxes().get(id);
        return row == null ? id : row.name();
    }

    Activity activity() {
        return activity;
    }

    Life life() {
        return life;
    }

    Instant since() {
        return since;
    }

    String because() {
        return because;
    }

    /** It is there now. */
    void arrive(Life newLife, String why, Instant now) {
        since = now;
        because = why;
        life = newLife;
        if (newLife != Life.STARTING) {
            made.complete(true);
        }
    }

    /** Shows that somebody is at it, without any other change; {@link #arrive} follows. */
    void show(Life passing) {
        life = passing;
    }

    @Nullable
    Machine machine() {
        return machine;
    }

    /** Its machine, which it has while it runs or stands by. */
    Machine requireMachine() {
        Machine present = machine;
        if (present == null) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE, name() + " does not run", "Start it: boxd start " + name() + ".", null);
        }
        return present;
    }

    @Nullable
    Remains remains() {
        return remains;
    }

    @Nullable
    String memory() {
        return memory;
    }

    /** It has a machine, and nothing else. */
    void has(Machine newMachine) {
        machine = newMachine;
        remains = null;
        memory = null;
    }

    /** Only its disk is left. */
    void has(Remains newRemains) {
        remains = newRemains;
        machine = null;
        memory = null;
    }

    /** Its memory and disk are in a snapshot. */
    void hasMemory(String snapshot) {
        memory = snapshot;
        machine = null;
        remains = null;
    }

    void hasNothing() {
        machine = null;
        remains = null;
        memory = null;
    }

    Optional<Watch> watch() {
        return Optional.ofNullable(watch);
    }

    void watched(Optional<Watch> newWatch) {
        watch = newWatch.orElse(null);
    }

    /** Whether it runs, and nobody is about to change that. */
    boolean isThere() {
        return life == Life.RUNNING && !sleepy && !changing && !leaving;
    }

    void changing(boolean now) {
        changing = now;
    }

    void sleepy(boolean goes) {
        sleepy = goes;
    }

    /** From now on nobody gets it any more. */
    void leave() {
        leaving = true;
    }

    void stayAfterAll() {
        leaving = false;
    }

    boolean isLeaving() {
        return leaving;
    }

    /** Who its next machine is, made from what this one left. */
    Identity next(Identity last) {
        return next(last.generation());
    }

    Identity next(long lastGeneration) {
        BoxRow row = row();
        return new Identity(row.name(), row.machineId(), UUID.randomUUID().toString(), lastGeneration + 1);
    }

    /** Does something while nobody else changes the box; waits until it has been made. */
    <T> T exclusively(Deadline deadline, Supplier<T> work) {
        awaitMade(deadline);
        return withLock(deadline, work);
    }

    /** The same for whoever makes it. */
    <T> T withLock(Deadline deadline, Supplier<T> work) {
        try {
            if (!lock.tryLock(deadline.leftNanos(), TimeUnit.NANOSECONDS)) {
                throw deadline.exceeded("waiting for what is being done to " + name());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "waiting for " + name() + " was interrupted", e);
        }
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    private void awaitMade(Deadline deadline) {
        try {
            made.get(deadline.leftNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw deadline.exceeded("making " + name());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "waiting for " + name() + " was interrupted", e);
        } catch (ExecutionException e) {
            throw new BoxdException(ErrorCode.INTERNAL, name() + " could not be made", e.getCause());
        }
    }
}
