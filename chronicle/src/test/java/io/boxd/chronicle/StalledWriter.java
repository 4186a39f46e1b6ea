package io.boxd.chronicle;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Keeps the writer of an audit busy until it may go on, as a disk does that has stalled. */
public final class StalledWriter {
    private static final long LONGEST_SECONDS = 60;

    private final CountDownLatch go = new CountDownLatch(1);

    public StalledWriter(Audit audit) throws InterruptedException {
        CountDownLatch stalled = new CountDownLatch(1);
        audit.stall(() -> {
            stalled.countDown();
            try {
                boolean over = go.await(LONGEST_SECONDS, TimeUnit.SECONDS);
                assert over : "nobody let it go on";
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        if (!stalled.await(LONGEST_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the writer does not write");
        }
    }

    public void goOn() {
        go.countDown();
    }
}
