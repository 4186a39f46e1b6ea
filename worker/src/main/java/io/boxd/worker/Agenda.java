package io.boxd.worker;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Does things at their time: one thread for all boxes, which only starts others.
 *
 * <p>There is one appointment for each key; a new one replaces it.
 */
final class Agenda implements AutoCloseable {
    private final ScheduledThreadPoolExecutor clock;
    private final Map<String, ScheduledFuture<?>> appointments = new ConcurrentHashMap<>();

    Agenda() {
        clock = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("agenda").factory());
        clock.setRemoveOnCancelPolicy(true);
        clock.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Runs it on a thread of its own after this time, unless something else is put under the key before. */
    void in(Duration time, String key, Runnable work) {
        appointments.compute(key, (_, earlier) -> {
            if (earlier != null) {
                earlier.cancel(false);
            }
            return clock.isShutdown()
                    ? null
                    : clock.schedule(
                            () -> Thread.ofVirtual().name(key).start(work),
                            Math.max(0, time.toMillis()),
                            TimeUnit.MILLISECONDS);
        });
    }

    void cancel(String key) {
        appointments.computeIfPresent(key, (_, earlier) -> {
            earlier.cancel(false);
            return null;
        });
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
