package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.guest.ExecutionId;
import io.boxd.worker.Boxes;
import io.boxd.worker.Hold;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Kills commands whose time is over, with their process group, whether somebody listens to them or not. */
final class TimeLimits implements AutoCloseable {
    private static final int REMEMBERED = 4096;

    private final Boxes boxes;
    private final ExecutorService watchers = Executors.newVirtualThreadPerTaskExecutor();
    private final SequencedSet<ExecutionId> killed = new LinkedHashSet<>();

    TimeLimits(Boxes boxes) {
        this.boxes = boxes;
    }

    /** @param ended counted down when the command has ended by itself */
    void watch(String box, ExecutionId execution, Duration limit, CountDownLatch ended) {
        watchers.execute(() -> {
            try {
                if (!ended.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                    kill(box, execution);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the server ends, the command runs on
            }
        });
    }

    private void kill(String box, ExecutionId execution) {
        remember(execution);
        try (Hold hold = boxes.hold(box, "killing a command whose time is over", Deadline.in(Limits.WAKE))) {
            hold.agent().kill(execution, Signals.KILL, Deadline.in(Limits.QUESTION));
        } catch (BoxdException e) {
            forget(execution); // it has ended meanwhile, or the box is no more
        }
    }

    private synchronized void remember(ExecutionId execution) {
        killed.add(execution);
        if (killed.size() > REMEMBERED) {
            killed.removeFirst();
        }
    }

    private synchronized void forget(ExecutionId execution) {
        killed.remove(execution);
    }

    synchronized boolean killed(ExecutionId execution) {
        return killed.contains(execution);
    }

    @Override
    public void close() {
        watchers.shutdownNow();
    }
}
