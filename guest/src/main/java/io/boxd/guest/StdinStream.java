package io.boxd.guest;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Input of a command or a tunnel, sent no faster than it is taken. */
final class StdinStream extends OutputStream {
    private static final int CHUNK_BYTES = 32 * 1024;

    private final Outbox outbox;
    private final FrameEncoder encoder;
    private final int stream;
    private final int dataType;
    private final int endType;
    private final @Nullable Duration stallLimit;
    /** Keeps the bytes of concurrent writers apart. The other lock is never held while waiting for room. */
    private final ReentrantLock writing = new ReentrantLock();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private int credit;
    private boolean closed;
    private @Nullable String over;

    StdinStream(Outbox outbox, FrameEncoder encoder, int stream, boolean open) {
        this(outbox, encoder, stream, open, Wire.STDIN, Wire.STDIN_CLOSE, null);
    }

    private StdinStream(
            Outbox outbox,
            FrameEncoder encoder,
            int stream,
            boolean open,
            int dataType,
            int endType,
            @Nullable Duration stallLimit) {
        this.outbox = outbox;
        this.encoder = encoder;
        this.stream = stream;
        this.closed = !open;
        this.dataType = dataType;
        this.endType = endType;
        this.stallLimit = stallLimit;
        this.credit = Wire.WINDOW_BYTES;
    }

    /** The input of a tunnel; a write that gets nowhere for so long fails. */
    static StdinStream ofTunnel(Outbox outbox, FrameEncoder encoder, int stream, @Nullable Duration stallLimit) {
        return new StdinStream(outbox, encoder, stream, true, Wire.DATA, Wire.DATA_END, stallLimit);
    }

    /** Called by the connection's reader; never waits. */
    void grant(long bytes) throws ProtocolException {
        lock.lock();
        try {
            if (bytes > Wire.WINDOW_BYTES - credit) {
                throw new ProtocolException("more credit than was used");
            }
            credit += (int) bytes;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Nothing can be written any more, for this reason. */
    void end(String reason) {
        lock.lock();
        try {
            over = reason;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        try {
            writing.lockInterruptibly();
            try {
                for (int done = 0; done < length; ) {
                    int count = Math.min(CHUNK_BYTES, length - done);
                    reserve(count);
                    outbox.data(encoder.frame(dataType, stream, bytes, offset + done, count));
                    done += count;
                }
            } finally {
                writing.unlock();
            }
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    /** Waits for room for the whole frame: what one call writes is not mixed with other clients' input within it. */
    private void reserve(int wanted) throws IOException, InterruptedException {
        lock.lock();
        try {
            long left = stallLimit == null ? Long.MAX_VALUE : stallLimit.toNanos();
            while (credit < wanted && over == null && !closed) {
                if (left <= 0) {
                    throw new IOException("the machine has taken nothing for too long");
                }
                left = changed.awaitNanos(left);
            }
            if (over != null) {
                throw new IOException(over);
            }
            if (closed) {
                throw new IOException("the input is closed");
            }
            credit -= wanted;
        } finally {
            lock.unlock();
        }
    }

    /** The command sees the end of its input behind everything that was written. */
    @Override
    public void close() throws IOException {
        finish(new byte[0]);
    }

    /** As {@code close}, with what the receiver wants to know at the end. */
    void finish(byte[] ending) throws IOException {
        lock.lock();
        try {
            if (closed || over != null) {
                return;
            }
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            outbox.data(encoder.frame(endType, stream, ending));
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static IOException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("writing was interrupted");
    }
}
