package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.Execution;
import io.boxd.guest.ExecutionId;
import io.boxd.guest.ExecutionInfo;
import io.boxd.guest.ExitStatus;
import io.boxd.guest.OutputChunk;
import io.boxd.worker.Boxes;
import io.boxd.worker.Hold;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One client of an execution, across all connections to its machine: when one is lost because the box was put to
 * sleep, the next goes on at the same offset.
 *
 * <p>One thread reads and, where needed, connects anew; others may type meanwhile.
 */
final class Participation implements AutoCloseable {
    private final Boxes boxes;
    private final String box;
    private final Attention attention;
    private final boolean started;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ExecutionId id;
    private @Nullable Execution client;
    private volatile @Nullable AgentConnection agent;
    private volatile long offset;
    private int changes;
    private volatile boolean inputEnded;
    private boolean closed;

    /** @param started whether this client has also started the command */
    Participation(
            Boxes boxes, String box, Attention attention, AgentConnection agent, Execution client, boolean started) {
        this.boxes = boxes;
        this.box = box;
        this.attention = attention;
        this.agent = agent;
        this.client = client;
        this.id = client.id();
        this.started = started;
        this.offset = client.from();
    }

    boolean started() {
        return started;
    }

    /** Of the next byte that was not taken yet. */
    long offset() {
        return offset;
    }

    void skipTo(long newOffset) {
        offset = newOffset;
    }

    /** The next piece of output; nothing at the end of the command. */
    Optional<OutputChunk> next(Deadline deadline) {
        while (true) {
            Execution current = current();
            if (current == null) {
                reconnect(deadline);
                continue;
            }
            try {
                Optional<OutputChunk> chunk = current.next(deadline.orSooner(Limits.LOOK));
                attention.happened();
                return chunk;
            } catch (BoxdException e) {
                attention.rest();
                if (e.code() != ErrorCode.TIMEOUT) {
                    dropped(current, e);
                } else if (deadline.passed()) {
                    throw e;
                }
            }
        }
    }

    private @Nullable Execution current() {
        lock.lock();
        try {
            if (closed) {
                throw new BoxdException(ErrorCode.UNAVAILABLE, "the stream was closed");
            }
            return client;
        } finally {
            lock.unlock();
        }
    }

    /** Whatever else may be wrong with it: with an open connection the machine itself has said so. */
    private void dropped(Execution current, BoxdException reason) {
        AgentConnection connection = agent;
        if (connection != null && connection.isOpen()) {
            throw reason;
        }
        lock.lock();
        try {
            client = null;
            agent = null;
        } finally {
            lock.unlock();
        }
        current.close();
        attention.lost();
    }

    /** Goes on in the machine that the box has now, once it has one. Never wakes the box by itself. */
    private void reconnect(Deadline deadline) {
        if (Lines.runs(boxes, box, "its commands have ended")) {
            attach(deadline);
        } else {
            awaitChange(deadline);
        }
    }

    private void attach(Deadline deadline) {
        try {
            AgentConnection connection =
                    attention.take(Deadline.in(Limits.WAKE)).agent();
            Execution fresh = connection.attach(id, offset, Deadline.in(Limits.QUESTION));
            if (inputEnded) {
                fresh.stdin().close();
            }
            lock.lock();
            try {
                if (!closed) {
                    client = fresh;
                    agent = connection;
                    tell();
                    return;
                }
            } finally {
                lock.unlock();
            }
            fresh.close();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the command's input could not be ended", e);
        } catch (BoxdException e) {
            attention.lost();
            if (e.code() != ErrorCode.UNAVAILABLE && e.code() != ErrorCode.TIMEOUT) {
                throw e;
            }
            awaitChange(deadline);
        }
    }

    private void awaitChange(Deadline deadline) {
        lock.lock();
        try {
            int seen = changes;
            long nanos = deadline.orSooner(Limits.LOOK).leftNanos();
            while (changes == seen && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "waiting for the box was interrupted", e);
        } finally {
            lock.unlock();
        }
        if (deadline.passed()) {
            throw deadline.exceeded("waiting for the box");
        }
    }

    /** With the lock held. */
    private void tell() {
        changes++;
        changed.signalAll();
    }

    /** This client in a box that is awake. */
    Execution awake() {
        Deadline deadline = Deadline.in(Limits.WAKE);
        while (true) {
            Hold hold = attention.take(deadline);
            AgentConnection usable = hold.agent();
            lock.lock();
            try {
                if (closed) {
                    throw new BoxdException(ErrorCode.UNAVAILABLE, "the stream was closed");
                }
                Execution current = client;
                if (current != null && agent == usable && usable.isOpen()) {
                    return current;
                }
                tell();
                long nanos = deadline.orSooner(Limits.LOOK).leftNanos();
                if (!changed.await(nanos, TimeUnit.NANOSECONDS) && deadline.passed()) {
                    throw deadline.exceeded("waiting for the box");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new BoxdException(ErrorCode.UNAVAILABLE, "waiting for the box was interrupted", e);
            } finally {
                lock.unlock();
            }
        }
    }

    void write(byte[] bytes, int from, int length) throws IOException {
        awake().stdin().write(bytes, from, length);
        attention.happened();
    }

    void endInput() throws IOException {
        Execution current = awake();
        inputEnded = true;
        current.stdin().close();
    }

    ExitStatus exitStatus() {
        Execution current = current();
        if (current == null) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the end of the command is not known");
        }
        return current.await(Deadline.in(Limits.QUESTION));
    }

    /** How long it ran, by the machine's own clock; a courtesy, so without an answer there is none. */
    Optional<Duration> ranFor(ExecutionId execution) {
        AgentConnection connection = agent;
        if (connection == null) {
            return Optional.empty();
        }
        try {
            return connection.executions(Deadline.in(Limits.QUESTION)).stream()
                    .filter(info -> info.id().equals(execution))
                    .findFirst()
                    .flatMap(Participation::duration);
        } catch (BoxdException e) {
            return Optional.empty();
        }
    }

    private static Optional<Duration> duration(ExecutionInfo info) {
        return info.ended().map(end -> Duration.between(info.started(), end)).filter(time -> !time.isNegative());
    }

    @Override
    public void close() {
        @Nullable Execution last;
        lock.lock();
        try {
            closed = true;
            last = client;
            tell();
        } finally {
            lock.unlock();
        }
        if (last != null) {
            last.close();
        }
        attention.close();
    }
}
