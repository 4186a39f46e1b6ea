package io.boxd.ssh;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Does one thing after the other, on a virtual thread that is there only while there is something to do. */
final class SerialWork {
    private final String name;
    private final int most;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean working;

    /** @param most that may wait; what comes on top is left out */
    SerialWork(String name, int most) {
        this.name = name;
        this.most = most;
    }

    /** Whether it will be done. */
    synchronized boolean add(Runnable task) {
        if (waiting.size() >= most) {
            return false;
        }
        waiting.add(task);
        if (!working) {
            working = true;
            Thread.ofVirtual().name(name).start(this::work);
        }
        return true;
    }

    private void work() {
        for (Runnable task = next(); task != null; task = next()) {
            task.run();
        }
    }

    private synchronized @Nullable Runnable next() {
        Runnable task = waiting.pollFirst();
        working = task != null;
        return task;
    }
}
