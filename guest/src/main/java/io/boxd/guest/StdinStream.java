package io.boxd.guest;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Input of a command, sent no faster than the command takes it. */
final class StdinStream extends OutputStream {
    private static final int CHUNK_BYTES = 32 * 1024;

    private final Outbox outbox;
    private final FrameEncoder encoder;
    private final int stream;
    /** Keeps the bytes of concurrent writers apart. The other lock is never held while waiting for room. */
    private final ReentrantLock writing = new ReentrantLock();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private int credit;
    private boolean closed;
    private @Nullable String over;

    StdinStream(Outbox outbox, FrameEncoder encoder, int stream, boolean open) {
        this.outbox = outbox;
        this.encoder = encoder;
        this.stream = stream;
        this.closed = !open;
        this.credit = Wire.WINDOW_BYTES;
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
                    outbox.data(encoder.frame(Wire.STDIN, stream, bytes, offset + done, count));
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
            while (credit < wanted && over == null && !closed) {
                changed.await();
            }
            if (over != null) {
                throw new IOException(over);
            }
            if (closed) {
                throw new IOException("the command's input is closed");
            }
            credit -= wanted;
        } finally {
            lock.unlock();
        }
    }

    /** The command sees the end of its input behind everything that was written. */
    @Override
    public void close() throws IOException {
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
            outbox.data(encoder.frame(Wire.STDIN_CLOSE, stream, new byte[0]));
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static IOException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("writing a command's input was interrupted");
    }
}
