package io.boxd.ssh;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a client sends on a channel, to be read by one thread.
 *
 * <p>Its end is told apart from its breaking off: half a file must not be taken for the whole. Bounded by the channel's
 * window, which is opened again only for what has been read.
 */
final class ClientInput extends InputStream {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<byte[]> pieces = new ArrayDeque<>();
    private final IntConsumer taken;
    private int position;
    private boolean ended;
    private boolean broken;

    /** @param taken told how many bytes were read */
    ClientInput(IntConsumer taken) {
        this.taken = taken;
    }

    /** Called by the connection's thread; never waits. */
    void add(byte[] bytes, int offset, int length) {
        byte[] piece = new byte[length];
        System.arraycopy(bytes, offset, piece, 0, length);
        lock.lock();
        try {
            if (!ended && !broken && length > 0) {
                pieces.add(piece);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The client has said that there is no more. */
    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The client is gone; what it had sent before its end can still be read. */
    void breakOff() {
        lock.lock();
        try {
            broken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, into.length);
        if (length == 0) {
            return 0;
        }
        int count;
        lock.lock();
        try {
            byte[] piece = await();
            if (piece == null) {
                return -1;
            }
            count = Math.min(length, piece.length - position);
            System.arraycopy(piece, position, into, offset, count);
            position += count;
            if (position == piece.length) {
                pieces.removeFirst();
                position = 0;
            }
        } finally {
            lock.unlock();
        }
        taken.accept(count);
        return count;
    }

    private byte @Nullable [] await() throws IOException {
        try {
            while (pieces.isEmpty() && !ended && !broken) {
                changed.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while reading", e);
        }
        byte[] piece = pieces.peekFirst();
        if (piece == null && !ended) {
            throw new IOException("the client has left");
        }
        return piece;
    }

    @Override
    public int available() {
        lock.lock();
        try {
            byte[] piece = pieces.peekFirst();
            return piece == null ? 0 : piece.length - position;
        } finally {
            lock.unlock();
        }
    }
}
