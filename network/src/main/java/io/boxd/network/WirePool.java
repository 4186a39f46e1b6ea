package io.boxd.network;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Wires made ahead of time, one after the other and with low priority. Thread-safe. */
final class WirePool implements AutoCloseable {
    private static final long MAKING_SECONDS = 60;
    private static final long RETRY_SECONDS = 5;

    private final WireMaker maker;
    private final int size;
    private final Deque<Wire> ready = new ArrayDeque<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Thread filler;
    private boolean closed;
    private @Nullable BoxdException failure;

    WirePool(WireMaker maker, int size) {
        this.maker = maker;
        this.size = size;
        this.filler = Thread.ofVirtual().name("wire pool").unstarted(this::fill);
    }

    void start() {
        filler.start();
    }

    /** A wire that is ready, or null. */
    @Nullable
    Wire poll() {
        lock.lock();
        try {
            changed.signalAll();
            return ready.poll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the pool is full. */
    void awaitFull(Deadline deadline) {
        lock.lock();
        try {
            while (ready.size() < size) {
                if (failure != null) {
                    throw new BoxdException(
                            failure.code(), "no wire: " + failure.getMessage(), failure.hint(), failure);
                }
                if (changed.awaitNanos(deadline.leftNanos()) <= 0) {
                    throw deadline.exceeded("filling the pool of wires");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private void fill() {
        NetworkTools tools = NetworkTools.inBackground();
        while (awaitNeed()) {
            try {
                add(maker.make(tools, Deadline.inSeconds(MAKING_SECONDS)));
            } catch (BoxdException e) {
                note(e);
            }
        }
    }

    /** False when the pool is closed. */
    private boolean awaitNeed() {
        lock.lock();
        try {
            // What has failed may work later; who needs a wire now makes one himself and hears why not.
            Deadline pause = Deadline.inSeconds(failure == null ? 0 : RETRY_SECONDS);
            while (!closed && !pause.passed()) {
                var _ = changed.awaitNanos(pause.leftNanos());
            }
            failure = null;
            while (!closed && ready.size() >= size) {
                changed.await();
            }
            return !closed;
        } catch (InterruptedException e) {
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void add(Wire wire) {
        lock.lock();
        try {
            failure = null;
            ready.add(wire);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void note(BoxdException e) {
        lock.lock();
        try {
            failure = e;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the filling and returns what was left, for the caller to remove. */
    List<Wire> drain() {
        close();
        lock.lock();
        try {
            List<Wire> left = new ArrayList<>(ready);
            ready.clear();
            return left;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            // A wire that is being made is finished first: a half-made one would be left behind.
            filler.join(java.time.Duration.ofSeconds(MAKING_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
