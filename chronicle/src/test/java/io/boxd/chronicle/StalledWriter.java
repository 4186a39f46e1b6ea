package io.boxd.chronicle;

import java.util.concurrent.CountDownLatch;

/** Keeps the writer of an audit busy until it may go on, as a disk does that has stalled. */
final class StalledWriter {
    private final CountDownLatch go = new CountDownLatch(1);

    StalledWriter(Audit audit) throws InterruptedException {
        CountDownLatch stalled = new CountDownLatch(1);
        audit.stall(() -> {
            stalled.countDown();
            try {
                go.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        stalled.await();
    }

    void goOn() {
        go.countDown();
    }
}
