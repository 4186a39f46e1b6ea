package io.boxd.trials;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where clients find the server. While there is none they wait here, and whoever ended it knows when all of them do.
 *
 * <p>What a client wrote down before it came here is seen by whoever found it waiting.
 */
final class Door {
    private static final int PATIENCE_SECONDS = 300;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private String url = "";
    private boolean ending;
    private int waiting;
    private Optional<Throwable> failure = Optional.empty();

    /** The server's address, as soon as there is a server. */
    String enter() throws InterruptedException {
        Deadline deadline = Deadline.inSeconds(PATIENCE_SECONDS);
        lock.lock();
        try {
            waiting++;
            changed.signalAll();
            while (url.isEmpty()) {
                requireNoFailure();
                assertThat(changed.await(deadline.leftNanos(), TimeUnit.NANOSECONDS))
                        .as("a server in time")
                        .isTrue();
            }
            return url;
        } finally {
            waiting--;
            lock.unlock();
        }
    }

    void open(String at) {
        lock.lock();
        try {
            url = at;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** From now on nobody begins anything; what was begun goes on. */
    void shut() {
        open("");
    }

    boolean isShut() {
        lock.lock();
        try {
            return url.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    void awaitWaiting(int clients) throws InterruptedException {
        Deadline deadline = Deadline.inSeconds(PATIENCE_SECONDS);
        lock.lock();
        try {
            while (waiting < clients) {
                requireNoFailure();
                assertThat(changed.await(deadline.leftNanos(), TimeUnit.NANOSECONDS))
                        .as("%s of %s clients noticed the end", waiting, clients)
                        .isTrue();
            }
        } finally {
            lock.unlock();
        }
    }

    /** A client that gives up: then nobody waits for it. */
    void fail(Throwable why) {
        lock.lock();
        try {
            failure = failure.or(() -> Optional.of(why));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void requireNoFailure() {
        failure.ifPresent(why -> {
            throw new AssertionError("a client failed", why);
        });
    }

    /** Clients come to an end of what they do, and begin nothing new. */
    void end() {
        lock.lock();
        try {
            ending = true;
        } finally {
            lock.unlock();
        }
    }

    boolean isEnding() {
        lock.lock();
        try {
            return ending;
        } finally {
            lock.unlock();
        }
    }
}
