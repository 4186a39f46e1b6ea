package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.AgentConnection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One virtual machine, running or in standby, until it ends.
 *
 * <pre>
 *   STALLED ⇄ RUNNING ⇄ STANDBY
 *      └─────────┴─────────┴──────→ ENDED   (by itself, or by close)
 * </pre>
 *
 * <p>Thread-safe: what changes the machine is done one after the other. An ended machine keeps its
 * disk files until it is closed, so that it can be booted again from them.
 */
public final class Machine implements AutoCloseable {
    /** Where a machine is in its life. */
    public enum State {
        RUNNING,
        STANDBY,
        /** It wrote to its disk and the host's was full; once that has space again, resume it. */
        STALLED,
        ENDED
    }

    private static final Duration RECONNECT = Duration.ofSeconds(15);

    private final Cell cell;
    private final Base base;
    private final MachineDisk disk;
    private final Renewer renewer;
    private final MachineBook book;
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile Identity identity;
    private volatile @Nullable AgentConnection agent;
    private boolean paused;
    private long proceeded;

    /**
     * @param agent null when it is to be reached later
     * @param paused whether it stands still
     */
    Machine(
            Cell cell,
            Base base,
            MachineDisk disk,
            Identity identity,
            @Nullable AgentConnection agent,
            boolean paused,
            Renewer renewer,
            MachineBook book) {
        this.cell = cell;
        this.base = base;
        this.disk = disk;
        this.identity = identity;
        this.agent = agent;
        this.paused = paused;
        this.renewer = renewer;
        this.book = book;
        book.use(base);
    }

    public String id() {
        return cell.id();
    }

    public Base base() {
        return base;
    }

    /** Who it is now. */
    public Identity identity() {
        return identity;
    }

    /** It has renewed itself. */
    void become(Identity renewed) {
        identity = renewed;
    }

    public MachineSize size() {
        return base.size();
    }

    /**
     * The way to run commands inside.
     *
     * <p>A guest may kill its agent and start it again; then this is a new connection.
     */
    public AgentConnection agent() {
        AgentConnection present = agent;
        return present != null && (present.isOpen() || cell.ended().isDone()) ? present : reconnect();
    }

    private AgentConnection reconnect() {
        lock.lock();
        try {
            AgentConnection present = agent;
            if (present != null && present.isOpen()) {
                return present;
            }
            requireAlive();
            AgentConnection opened = AgentConnection.open(cell.freshAgentChannel(), Deadline.in(RECONNECT));
            agent = opened;
            return opened;
        } finally {
            lock.unlock();
        }
    }

    public State state() {
        if (cell.ended().isDone()) {
            return State.ENDED;
        }
        lock.lock();
        try {
            if (paused) {
                return State.STANDBY;
            }
            return cell.stalled() ? State.STALLED : State.RUNNING;
        } finally {
            lock.unlock();
        }
    }

    /** Whether it stands still because the host's disk was full; tells at once, whatever is being done to it. */
    public boolean isStalled() {
        return cell.stalled() && !cell.ended().isDone();
    }

    /** Completes when the machine runs no more, with the reason. */
    public CompletableFuture<EndReason> ended() {
        return cell.ended().copy();
    }

    /** The last kilobytes of the serial console; hostile text. */
    public String consoleTail() {
        return cell.console().tail();
    }

    /** What its network card is plugged into; empty if it has no network. */
    public Optional<Uplink> uplink() {
        return cell.uplink();
    }

    /** The process id of its QEMU. */
    public int pid() {
        return cell.process().pid();
    }

    /** Processor time that it has used so far, as its host counts it. */
    public Duration cpuTime() {
        return cell.process().cpuTime();
    }

    /**
     * The same of its whole cell, to the nanosecond where its host counts so, and still to be had when it has ended.
     */
    public Duration totalCpuTime() {
        return cell.cpuTime();
    }

    /** Host memory that only this machine uses. */
    public long privateBytes() {
        return cell.process().privateBytes();
    }

    /** Guest memory that differs from the base: what a fork now would copy. */
    public long dirtyBytes() {
        return cell.memory().ownPages().bytes();
    }

    /** Puts the machine in standby: it stands still, its memory stays. Returns how long that took. */
    public Duration pause(Deadline deadline) {
        lock.lock();
        try {
            requireAlive();
            if (!paused) {
                // A new server must tell a machine in standby from one that was only being copied.
                cell.folder().markStandby(true);
            }
            return hold(deadline);
        } finally {
            lock.unlock();
        }
    }

    /** Stands still for a copy to be taken: a server that comes after the end of this one lets it go on. */
    Duration hold(Deadline deadline) {
        lock.lock();
        try {
            requireAlive();
            if (paused) {
                return Duration.ZERO;
            }
            long start = System.nanoTime();
            cell.qmp().execute("stop", deadline);
            paused = true;
            return Duration.ofNanos(System.nanoTime() - start);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lets a machine in standby go on. Returns how long that took.
     *
     * <p>The guest's clock is put right by the first thing its agent reads, ahead of any command that
     * is sent afterwards.
     */
    public Duration resume(Deadline deadline) {
        lock.lock();
        try {
            Duration took = proceed(deadline);
            if (!took.isZero()) {
                renewer.startClock(agent());
            }
            return took;
        } finally {
            lock.unlock();
        }
    }

    /** Lets the machine go on and leaves the renewal to the caller. */
    Duration proceed(Deadline deadline) {
        lock.lock();
        try {
            requireAlive();
            if (!paused && !cell.stalled()) {
                return Duration.ZERO;
            }
            long start = System.nanoTime();
            cell.qmp().execute("cont", deadline);
            paused = false;
            proceeded++;
            cell.folder().markStandby(false);
            return Duration.ofNanos(System.nanoTime() - start);
        } finally {
            lock.unlock();
        }
    }

    /** Does something while nobody else changes the machine. */
    <T> T exclusively(Supplier<T> work) {
        lock.lock();
        try {
            requireAlive();
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stands still for as long as the work takes, then goes on as before, whatever the outcome.
     *
     * @return how long the machine stood still
     */
    Duration whileStopped(Runnable work, Deadline deadline) {
        long start = System.nanoTime();
        if (!paused) {
            cell.qmp().execute("stop", deadline);
        }
        try {
            work.run();
        } finally {
            if (!paused) {
                // Even a passed deadline must not leave somebody's machine standing.
                cell.qmp().execute("cont", Deadline.inSeconds(10));
            }
        }
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /** Counts how often the machine has gone on: while it is the same in standby, so is the machine. */
    long proceeded() {
        lock.lock();
        try {
            return proceeded;
        } finally {
            lock.unlock();
        }
    }

    Cell cell() {
        return cell;
    }

    MachineDisk disk() {
        return disk;
    }

    /** The frozen layers of its disk, lowest first. */
    List<Layer> layers() {
        lock.lock();
        try {
            return disk.layers();
        } finally {
            lock.unlock();
        }
    }

    /** The record has these layers of its disk now. */
    void recorded(List<String> layerIds) {
        lock.lock();
        try {
            disk.recorded(layerIds);
        } finally {
            lock.unlock();
        }
    }

    void requireAlive() {
        if (cell.ended().isDone()) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE,
                    "the machine has ended: " + cell.ended().join());
        }
    }

    /** After the process is gone: whoever still captures fails then, and lets go of the lock. */
    private void releaseDisk() {
        lock.lock();
        try {
            disk.release();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the machine now and removes everything of it. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        book.ending(cell.id());
        remove();
    }

    /** The same, when the record knows already. */
    void closeUnlisted() {
        if (closed.compareAndSet(false, true)) {
            book.ended(cell.id());
            remove();
        }
    }

    private void remove() {
        AgentConnection present = agent;
        try {
            if (present != null) {
                present.close();
            }
        } finally {
            try {
                cell.close();
            } finally {
                releaseDisk();
                book.release(base);
            }
        }
    }

    /** Ends the process, if it still runs, and lets go of everything but the files. */
    void rest() {
        if (closed.compareAndSet(false, true)) {
            AgentConnection present = agent;
            if (present != null) {
                present.close();
            }
            try {
                cell.rest();
            } finally {
                releaseDisk();
                book.release(base);
            }
        }
    }

    /** Lets go of a machine that is to run on without this server; a later one finds it. */
    public void detach() {
        if (closed.compareAndSet(false, true)) {
            AgentConnection present = agent;
            if (present != null) {
                present.close();
            }
            cell.detach();
        }
    }
}
