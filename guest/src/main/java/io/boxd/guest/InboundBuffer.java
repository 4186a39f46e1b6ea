package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Output of a command or a tunnel between the connection's reader and whoever reads it: at most one window.
 *
 * <p>The machine gets new credit as bytes are taken out, so a reader that is slow holds up nothing
 * but its own stream.
 */
final class InboundBuffer extends InputStream {
    private static final int FIRST_BYTES = 4 * 1024;

    private final IntConsumer credit;
    private final @Nullable Duration stallLimit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private byte[] ring = new byte[FIRST_BYTES];
    private int head;
    private int size;
    private int granted = Wire.WINDOW_BYTES;
    private int consumed;
    private boolean discarding;
    private boolean ended;
    private @Nullable String failure;

    InboundBuffer(IntConsumer credit) {
        this(credit, null);
    }

    /** A read that gets nothing for so long fails; without a limit it waits as long as the connection lives. */
    InboundBuffer(IntConsumer credit, @Nullable Duration stallLimit) {
        this.credit = credit;
        this.stallLimit = stallLimit;
    }

    /** Called by the connection's reader; never waits. */
    void put(ByteBuffer data) throws ProtocolException {
        lock.lock();
        try {
            int count = data.remaining();
            if (count > granted) {
                throw new ProtocolException("output exceeds its window");
            }
            granted -= count;
            if (discarding) {
                consume(count);
                return;
            }
            reserve(size + count);
            int tail = (head + size) % ring.length;
            int first = Math.min(count, ring.length - tail);
            data.get(ring, tail, first).get(ring, 0, count - first);
            size += count;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** No more will come; what is there can still be read. */
    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void fail(String reason) {
        lock.lock();
        try {
            failure = reason;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        if (length == 0) {
            return 0;
        }
        lock.lock();
        try {
            if (!awaitChange(stallLimit)) {
                throw new IOException("the machine has sent nothing for too long");
            }
            if (size == 0) {
                return endOfStream();
            }
            int count = Math.min(length, size);
            int first = Math.min(count, ring.length - head);
            System.arraycopy(ring, head, target, offset, first);
            System.arraycopy(ring, 0, target, offset + first, count - first);
            head = (head + count) % ring.length;
            size -= count;
            consume(count);
            return count;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("reading was interrupted");
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is something to read or the end is known; false if neither came in time. */
    boolean await(Deadline deadline, String what) {
        lock.lock();
        try {
            return awaitChange(deadline.left());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, what + " was interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitChange(@Nullable Duration limit) throws InterruptedException {
        long left = limit == null ? Long.MAX_VALUE : limit.toNanos();
        while (size == 0 && !ended && !discarding && failure == null) {
            if (left <= 0) {
                return false;
            }
            left = changed.awaitNanos(left);
        }
        return true;
    }

    private int endOfStream() throws IOException {
        if (ended || failure == null) {
            return -1;
        }
        throw new IOException(failure);
    }

    @Override
    public int available() {
        lock.lock();
        try {
            return size;
        } finally {
            lock.unlock();
        }
    }

    /** From now on output is taken and forgotten. */
    @Override
    public void close() {
        lock.lock();
        try {
            discarding = true;
            consume(size);
            size = 0;
            ring = new byte[0];
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void consume(int count) {
        consumed += count;
        if (consumed >= Wire.CREDIT_STEP_BYTES && !ended) {
            granted += consumed;
            credit.accept(consumed);
            consumed = 0;
        }
    }

    private void reserve(int needed) {
        if (needed <= ring.length) {
            return;
        }
        byte[] larger = new byte[Math.min(Wire.WINDOW_BYTES, Math.max(needed, 2 * ring.length))];
        int first = Math.min(size, ring.length - head);
        System.arraycopy(ring, head, larger, 0, first);
        System.arraycopy(ring, 0, larger, first, size - first);
        ring = larger;
        head = 0;
    }
}
