package io.boxd.certificates;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The one thread that waits until something is due, or until it is told to look, and then does it. */
final class Caretaker implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Caretaker.class.getName());
    /** A clock may be set, and a machine may sleep, without anybody being told. */
    private static final Duration LONGEST_WAIT = Duration.ofHours(1);

    private static final Duration ENDING = Duration.ofSeconds(10);

    private final InstantSource clock;
    private final Work work;
    private final Thread thread = Thread.ofVirtual().name("certificates").unstarted(this::run);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** Held while files are written, so that the thread is never interrupted in the middle of that. */
    private final ReentrantLock keeping = new ReentrantLock();

    private boolean closed;
    /** What happened before a wait began must not be missed. */
    private boolean woken;

    Caretaker(InstantSource clock, Work work) {
        this.clock = clock;
        this.work = work;
    }

    /** What there is to do. */
    interface Work {
        /** When it is due. */
        Instant next();

        void perform() throws InterruptedException;
    }

    void begin() {
        thread.start();
    }

    /** Something may have become due. */
    void wake() {
        lock.lock();
        try {
            woken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            while (awaitWork()) {
                work.perform();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // closed, in the middle of asking somebody
        }
    }

    /** Waits until there is something to do; false when all is over. */
    private boolean awaitWork() throws InterruptedException {
        lock.lock();
        try {
            while (!closed) {
                Instant now = clock.instant();
                Instant farthest = now.plus(LONGEST_WAIT);
                Instant next = work.next();
                Duration left = Duration.between(now, next.isBefore(farthest) ? next : farthest);
                if (woken || !left.isPositive()) {
                    woken = false;
                    return true;
                }
                if (!changed.await(left.toMillis() + 1, TimeUnit.MILLISECONDS)) {
                    LOG.log(System.Logger.Level.DEBUG, "looking whether a certificate is due");
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Writes what there is to keep, to its end, even if this is being closed. */
    void keep(Runnable writing) {
        keeping.lock();
        try {
            boolean interrupted = Thread.interrupted();
            writing.run();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        } finally {
            keeping.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        keeping.lock();
        try {
            thread.interrupt();
        } finally {
            keeping.unlock();
        }
        try {
            if (!thread.join(ENDING)) {
                LOG.log(System.Logger.Level.WARNING, "a certificate authority keeps us waiting at the end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
