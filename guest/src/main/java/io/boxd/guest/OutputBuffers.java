package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What an execution has said and its reader has not taken yet: at most a window of each channel.
 *
 * <p>It is read either as two streams or as one sequence of chunks; the first use decides.
 */
final class OutputBuffers {
    private static final int MAX_CHUNK_BYTES = 64 * 1024;

    private enum Use {
        UNDECIDED,
        SEPARATE,
        ORDERED
    }

    private final InboundBuffer stdout;
    private final InboundBuffer stderr;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final OutputOrder order = new OutputOrder();
    private Use use = Use.UNDECIDED;
    /** Of the next byte to come from the machine. */
    private long received;
    /** Of the next chunk to be taken. */
    private long taken;

    private long lost;
    private boolean over;
    private @Nullable BoxdException failure;

    OutputBuffers(int stream, Outbox outbox) {
        this.stdout = new InboundBuffer(bytes -> outbox.owe(stream, OutputChannel.STDOUT, bytes));
        this.stderr = new InboundBuffer(bytes -> outbox.owe(stream, OutputChannel.STDERR, bytes));
    }

    /** The offset of the first byte that will come. */
    void beginAt(long offset) {
        lock.lock();
        try {
            received = offset;
            taken = offset;
        } finally {
            lock.unlock();
        }
    }

    /** Called by the connection's reader; never waits. */
    void put(OutputChannel channel, ByteBuffer data) throws ProtocolException {
        int count = data.remaining();
        if (count == 0) {
            return;
        }
        of(channel).put(data);
        lock.lock();
        try {
            received += count;
            if (use != Use.SEPARATE) {
                order.add(channel, count);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The machine has lost its output up to this offset. */
    void skipTo(long offset) throws ProtocolException {
        lock.lock();
        try {
            if (offset <= received) {
                throw new ProtocolException("output is said to be lost that has arrived");
            }
            lost += offset - received;
            if (use != Use.SEPARATE) {
                order.addGap(offset - received);
            }
            received = offset;
        } finally {
            lock.unlock();
        }
    }

    /** No more will come of one channel. */
    void end(OutputChannel channel) {
        of(channel).end();
    }

    void end() {
        stdout.end();
        stderr.end();
        finish(null);
    }

    void fail(BoxdException reason) {
        String message = String.valueOf(reason.getMessage());
        stdout.fail(message);
        stderr.fail(message);
        finish(reason);
    }

    /** From now on output is taken and forgotten. */
    void close() {
        stdout.close();
        stderr.close();
        lock.lock();
        try {
            use = Use.SEPARATE;
            order.clear();
        } finally {
            lock.unlock();
        }
        finish(null);
    }

    private void finish(@Nullable BoxdException reason) {
        lock.lock();
        try {
            over = true;
            failure = failure == null ? reason : failure;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Bytes that the machine could not deliver. */
    long lost() {
        lock.lock();
        try {
            return lost;
        } finally {
            lock.unlock();
        }
    }

    InputStream separate(OutputChannel channel) {
        lock.lock();
        try {
            if (use == Use.ORDERED) {
                throw mixed();
            }
            use = Use.SEPARATE;
            order.clear();
            return of(channel);
        } finally {
            lock.unlock();
        }
    }

    /** False if the deadline came before something to read or the end. */
    boolean await(OutputChannel channel, Deadline deadline) {
        return of(channel).await(deadline, "reading a command's output");
    }

    Optional<OutputChunk> next(Deadline deadline) {
        lock.lock();
        try {
            if (use == Use.SEPARATE && !over) {
                throw mixed();
            }
            use = use == Use.UNDECIDED ? Use.ORDERED : use;
            awaitRun(deadline);
            if (order.startsWithGap()) {
                taken += order.firstBytes();
                order.take(order.firstBytes());
                awaitRun(deadline);
            }
            return order.isEmpty() ? atEnd() : Optional.of(take());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "reading a command's output was interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    private void awaitRun(Deadline deadline) throws InterruptedException {
        while (order.isEmpty() && !over) {
            if (!changed.await(deadline.leftNanos(), TimeUnit.NANOSECONDS) && deadline.passed()) {
                throw deadline.exceeded("waiting for a command's output");
            }
        }
    }

    private Optional<OutputChunk> atEnd() {
        if (failure != null) {
            throw new BoxdException(failure.code(), String.valueOf(failure.getMessage()), failure);
        }
        return Optional.empty();
    }

    private OutputChunk take() {
        OutputChannel channel = order.firstChannel();
        byte[] bytes = new byte[(int) Math.min(order.firstBytes(), MAX_CHUNK_BYTES)];
        try {
            // All of them have arrived, so this does not wait.
            int count = of(channel).readNBytes(bytes, 0, bytes.length);
            if (count < bytes.length) {
                throw new BoxdException(ErrorCode.INTERNAL, "a command's output is shorter than it was");
            }
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, String.valueOf(e.getMessage()), e);
        }
        OutputChunk chunk = new OutputChunk(channel, taken, ByteBuffer.wrap(bytes));
        order.take(bytes.length);
        taken += bytes.length;
        return chunk;
    }

    private InboundBuffer of(OutputChannel channel) {
        return switch (channel) {
            case STDOUT -> stdout;
            case STDERR -> stderr;
        };
    }

    private static BoxdException mixed() {
        return new BoxdException(
                ErrorCode.WRONG_STATE,
                "a command's output is read either as two streams or in order, not both",
                "Attach once more to read it in the other way.",
                null);
    }
}
