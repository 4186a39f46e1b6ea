package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.guest.ExecRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Cells of one base made ahead: husks for forks, warmed machines for {@code new}.
 *
 * <p>One thread refills it, one cell at a time, only while nobody waits for a machine, and with a
 * small share of the processor. The number of husks grows with each time the pool was found empty and
 * shrinks again when nobody asks. A cell that dies while it waits is replaced.
 */
final class HuskPool implements AutoCloseable {
    private static final long RETRY_AFTER_SECONDS = 5;
    private static final long MAKE_SECONDS = 60;
    /** After two, the first command still took 200 ms in emulation; after six it takes 75, as every later one. */
    private static final int WARM_UP_ROUNDS = 6;

    private final Base base;
    private final HuskMaker maker;
    private final Starter starter;
    private final Quiet quiet;
    private final Deque<Husk> husks = new ArrayDeque<>();
    private final Deque<Machine> warm = new ArrayDeque<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private PoolSize size = new PoolSize(0, 0, 0);
    private int wantedHusks;
    private boolean closed;
    private final Thread refiller;

    HuskPool(Base base, HuskMaker maker, Starter starter, Quiet quiet) {
        this.base = base;
        this.maker = maker;
        this.starter = starter;
        this.quiet = quiet;
        this.refiller = Thread.ofVirtual().name("refill-" + base.id()).start(this::refill);
    }

    void resize(PoolSize newSize) {
        List<AutoCloseable> surplus = new ArrayList<>();
        lock.lock();
        try {
            size = newSize;
            wantedHusks = Math.clamp(wantedHusks, newSize.minHusks(), newSize.maxHusks());
            while (husks.size() > newSize.maxHusks()) {
                surplus.add(husks.removeLast());
            }
            while (warm.size() > newSize.warm()) {
                surplus.add(warm.removeLast());
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        closeAll(surplus);
    }

    PoolLevel level() {
        lock.lock();
        try {
            return new PoolLevel(husks.size(), warm.size());
        } finally {
            lock.unlock();
        }
    }

    Optional<Husk> peek() {
        lock.lock();
        try {
            return Optional.ofNullable(husks.peekFirst());
        } finally {
            lock.unlock();
        }
    }

    @Nullable
    Husk takeHusk() {
        while (true) {
            Husk husk = poll(husks);
            if (husk == null) {
                grow();
                return null;
            }
            if (husk.usable()) {
                husk.cell().promote();
                return husk;
            }
            husk.close();
        }
    }

    @Nullable
    Machine takeWarm() {
        while (true) {
            Machine machine = poll(warm);
            if (machine == null) {
                return null;
            }
            if (machine.state() == Machine.State.STANDBY) {
                machine.cell().promote();
                return machine;
            }
            machine.close();
        }
    }

    private <T> @Nullable T poll(Deque<T> waiting) {
        lock.lock();
        try {
            T taken = waiting.pollFirst();
            changed.signalAll();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Somebody had to wait for a husk: keep more of them. */
    private void grow() {
        lock.lock();
        try {
            wantedHusks = Math.min(size.maxHusks(), wantedHusks + 1);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private enum Next {
        HUSK,
        WARM,
        FEWER,
        STOP
    }

    private void refill() {
        try {
            while (true) {
                Next next = awaitNeed();
                if (next == Next.STOP) {
                    return;
                }
                if (next == Next.FEWER) {
                    closeSurplus();
                    continue;
                }
                quiet.await();
                try {
                    make(next);
                } catch (BoxdException e) {
                    // Nobody waits for it; those who do will meet the same error and report it.
                    pauseAfterFailure();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Next awaitNeed() throws InterruptedException {
        lock.lock();
        try {
            while (!closed) {
                if (husks.size() < wantedHusks) {
                    return Next.HUSK;
                }
                if (warm.size() < size.warm()) {
                    return Next.WARM;
                }
                if (husks.size() > wantedHusks) {
                    return Next.FEWER;
                }
                boolean asked = changed.await(size.shrinkAfter().toNanos(), TimeUnit.NANOSECONDS);
                if (!asked && wantedHusks > size.minHusks()) {
                    wantedHusks--;
                }
            }
            return Next.STOP;
        } finally {
            lock.unlock();
        }
    }

    private void closeSurplus() {
        List<AutoCloseable> surplus = new ArrayList<>();
        lock.lock();
        try {
            while (husks.size() > wantedHusks) {
                surplus.add(husks.removeLast());
            }
        } finally {
            lock.unlock();
        }
        closeAll(surplus);
    }

    private void pauseAfterFailure() throws InterruptedException {
        lock.lock();
        try {
            Deadline retry = Deadline.inSeconds(RETRY_AFTER_SECONDS);
            while (!closed && !retry.passed()) {
                changed.awaitNanos(retry.leftNanos());
            }
        } finally {
            lock.unlock();
        }
    }

    private void make(Next next) {
        Deadline deadline = Deadline.inSeconds(MAKE_SECONDS);
        Husk husk = maker.make(base, HuskMaker.WAITING_CPU_SHARE, deadline);
        husk.cell().onEnd(this::removeDead);
        if (next == Next.HUSK) {
            put(husks, husk);
        } else {
            put(warm, warmUp(husk, deadline));
        }
    }

    /**
     * The first commands translate the guest's code; done here, nobody waits for it.
     *
     * <p>A shell that says something, as most will run, and the renewal that every machine goes through when it is
     * taken: with another name each time, since files that need no change are not written.
     */
    private Machine warmUp(Husk husk, Deadline deadline) {
        Machine machine = starter.start(husk, Identity.fresh("boxd-warming", 0), deadline);
        try {
            for (int i = 0; i < WARM_UP_ROUNDS; i++) {
                machine.agent().run(ExecRequest.argv("/bin/sh", "-c", "echo warm"), deadline);
            }
            machine.agent()
                    .run(ExecRequest.shell("echo warm").withUser(base.image().defaultUser()), deadline);
            starter.renew(machine, Identity.fresh("boxd-warmed", 0), deadline);
            machine.pause(deadline);
            return machine;
        } catch (RuntimeException e) {
            machine.close();
            throw e;
        }
    }

    private <T extends AutoCloseable> void put(Deque<T> waiting, T made) {
        boolean kept;
        lock.lock();
        try {
            kept = !closed;
            if (kept) {
                waiting.addLast(made);
            }
        } finally {
            lock.unlock();
        }
        if (!kept) {
            closeAll(List.of(made));
        }
    }

    private void removeDead() {
        List<AutoCloseable> dead = new ArrayList<>();
        lock.lock();
        try {
            husks.removeIf(husk -> !husk.usable() && dead.add(husk));
            warm.removeIf(machine -> machine.state() == Machine.State.ENDED && dead.add(machine));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        // Called by the monitor's reader, which must not wait for a process to be gone.
        if (!dead.isEmpty()) {
            Thread.startVirtualThread(() -> closeAll(dead));
        }
    }

    @Override
    public void close() {
        List<AutoCloseable> all = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            all.addAll(husks);
            all.addAll(warm);
            husks.clear();
            warm.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        closeAll(all);
        try {
            refiller.join(TimeUnit.SECONDS.toMillis(MAKE_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void closeAll(List<? extends AutoCloseable> cells) {
        for (AutoCloseable cell : cells) {
            try {
                cell.close();
            } catch (Exception e) {
                throw new IllegalStateException("cannot end a waiting cell", e);
            }
        }
    }
}
