package io.boxd.chronicle;

import io.boxd.common.Deadline;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** How far the audit is written; whoever follows it waits here. */
final class AuditProgress {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private AuditHead head = AuditHead.none();

    void reached(AuditHead now) {
        lock.lock();
        try {
            head = now;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    AuditHead now() {
        lock.lock();
        try {
            return head;
        } finally {
            lock.unlock();
        }
    }

    /** The end of what is written; waits until that is behind the sequence, or nobody wants to know any more. */
    AuditHead beyond(long sequence, BooleanSupplier wanted, Deadline deadline) throws InterruptedException {
        lock.lock();
        try {
            while (head.sequence() <= sequence && wanted.getAsBoolean() && !deadline.passed()) {
                var _ = changed.awaitNanos(deadline.leftNanos());
            }
            return head;
        } finally {
            lock.unlock();
        }
    }
}
