package io.boxd.vmm;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Tells background work when nobody is waiting for a machine. */
final class Quiet {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition becameQuiet = lock.newCondition();
    private int busy;

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
            while (busy > 0) {
                becameQuiet.await();
            }
        } finally {
            lock.unlock();
        }
    }

    private void done() {
        lock.lock();
        try {
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
