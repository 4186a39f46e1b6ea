package io.boxd.proxy;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Ends what stands still for longer than it may, and closes what nobody uses. */
final class Watch implements AutoCloseable {
    private final Map<Progress, Runnable> watched = new ConcurrentHashMap<>();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("proxy-watch").factory());

    /** @param besides is done each time, too */
    Watch(Runnable besides) {
        long period = ProxyLimits.LOOK.toMillis();
        var _ = clock.scheduleAtFixedRate(
                () -> {
                    look();
                    besides.run();
                },
                period,
                period,
                TimeUnit.MILLISECONDS);
    }

    private void look() {
        watched.forEach((progress, end) -> {
            if (progress.stands()) {
                Thread.ofVirtual().name("proxy-end").start(end);
            }
        });
    }

    void begin(Progress progress, Runnable end) {
        watched.put(progress, end);
    }

    void end(Progress progress) {
        watched.remove(progress);
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
