package io.boxd.proxy;

import java.time.Duration;

/** When something of one request last moved, and whether it is the visitor who is waited for. Thread-safe. */
final class Progress {
    private volatile long movedNanos = System.nanoTime();
    private volatile boolean onVisitor;
    private volatile Duration patience = ProxyLimits.ANSWER;

    void moved() {
        movedNanos = System.nanoTime();
    }

    void waitsForVisitor(boolean waits) {
        movedNanos = System.nanoTime();
        onVisitor = waits;
    }

    /** Whether the visitor's program is the one that does not go on. */
    boolean isOnVisitor() {
        return onVisitor;
    }

    /** From now on it may stand still for so long. */
    void patience(Duration longest) {
        patience = longest;
        moved();
    }

    /** Whether it has stood still for longer than it may. */
    boolean stands() {
        return System.nanoTime() - movedNanos > patience.toNanos();
    }
}
