package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Input on its way to a command: sent no faster than it is taken, and kept for a while, so that what a broken stream
 * lost can be sent again on the next one.
 */
final class InputWindow {
    private static final int KEPT_BYTES = 1 << 20;
    /** Behind this much that is not sent yet, nothing more is read. */
    private static final int AHEAD_BYTES = 128 * 1024;

    private static final int MESSAGE_BYTES = 32 * 1024;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final byte[] kept = new byte[KEPT_BYTES];
    private long end;
    private long next;
    private long credit;
    private boolean over;
    private boolean overSent;
    private boolean closed;
    private @Nullable BoxStream stream;

    /** Takes more input; waits while there is much that is not sent. */
    void add(byte[] bytes, int offset, int length) throws InterruptedException {
        lock.lock();
        try {
            for (int i = 0; i < length; i++) {
                while (end - next >= AHEAD_BYTES && !closed) {
                    changed.await();
                }
                kept[(int) (end % KEPT_BYTES)] = bytes[offset + i];
                end++;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** There is no more input. */
    void end() {
        lock.lock();
        try {
            over = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void grant(long bytes) {
        lock.lock();
        try {
            credit += bytes;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Goes on with this stream.
     *
     * @param taken how much the command has been given, if the server tells
     * @param typed whether a person types it: then a lost key is no harm
     */
    void connect(BoxStream newStream, @Nullable Long taken, boolean typed) {
        lock.lock();
        try {
            boolean known = taken != null && taken <= end && taken >= Math.max(0, end - KEPT_BYTES);
            if (known && taken != null) {
                next = taken;
            } else if (!typed && next > 0 && !overSent) {
                throw new BoxdException(
                        ErrorCode.UNAVAILABLE,
                        "the connection broke while input was being sent, and it is not known how much of it arrived");
            }
            stream = newStream;
            credit = 0;
            overSent = overSent && typed;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void disconnect() {
        lock.lock();
        try {
            stream = null;
        } finally {
            lock.unlock();
        }
    }

    /** Lets {@link #send} and {@link #add} return. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Sends what comes until {@link #close}; a stream that breaks meanwhile is left to whoever reads from it. */
    void send() throws InterruptedException {
        byte[] message = new byte[1 + MESSAGE_BYTES];
        while (true) {
            BoxStream current;
            int length;
            lock.lock();
            try {
                while (!closed && !canSend()) {
                    changed.await();
                }
                if (closed || stream == null) {
                    return;
                }
                current = stream;
                length = (int) Math.min(Math.min(end - next, credit), MESSAGE_BYTES);
                for (int i = 0; i < length; i++) {
                    message[1 + i] = kept[(int) ((next + i) % KEPT_BYTES)];
                }
                next += length;
                credit -= length;
                overSent = length == 0;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            sendOn(current, message, length);
        }
    }

    private boolean canSend() {
        return stream != null && (end > next ? credit > 0 : over && !overSent);
    }

    private void sendOn(BoxStream current, byte[] message, int length) {
        try {
            if (length > 0) {
                current.input(message, 1 + length);
            } else {
                current.endInput();
            }
        } catch (IOException e) {
            lock.lock();
            try {
                stream = stream == current ? null : stream;
            } finally {
                lock.unlock();
            }
        }
    }
}
