package io.boxd.vmm;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tells background work when nobody is waiting for a machine, nor has just got one.
 *
 * <p>Whoever got a machine runs something in it at once, and that counts as waiting, too.
 */
final class Quiet {
    private static final long SETTLED_NANOS = 500_000_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition becameQuiet = lock.newCondition();
    private int busy;
    private long lastDone = System.nanoTime() - SETTLED_NANOS;

    /** Somebody waits for a machine until the returned handle is closed. */
    Busy busy() {
        lock.lock();
        try {
            busy++;
            return new Busy(this);
        } finally {
            lock.unlock();
        }
    }

    void await() throws InterruptedException {
        lock.lock();
        try {
            while (busy > 0 || quietNanos() < SETTLED_NANOS) {
                if (busy > 0) {
                    becameQuiet.await();
                } else {
                    becameQuiet.awaitNanos(SETTLED_NANOS - quietNanos());
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private long quietNanos() {
        return System.nanoTime() - lastDone;
    }

    private void done() {
        lock.lock();
        try {
            lastDone = System.nanoTime();
            if (--busy == 0) {
                becameQuiet.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** One operation that somebody waits for. */
    record Busy(Quiet quiet) implements AutoCloseable {
        @Override
        public void close() {
            quiet.done();
        }
    }
}
