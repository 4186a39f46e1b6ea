package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be written to the machine: requests first, then credits, then input of commands.
 *
 * <p>One thread writes, any thread queues. A machine that stops reading fills the queues and then
 * holds up only those who wait for room, until their deadline or the end of the connection.
 */
final class Outbox {
    private static final int REQUESTS_LIMIT_BYTES = 2 * Wire.MAX_EXEC_BYTES;
    private static final int DATA_LIMIT_BYTES = Wire.WINDOW_BYTES;
    private static final int BATCH_BYTES = 64 * 1024;

    /** Whom credit is owed; without a channel, a tunnel. */
    private record Account(int stream, @Nullable OutputChannel channel) {}

    private final FrameEncoder encoder;
    private final ReentrantLock lock = new ReentrantLock(true);
    private final Condition work = lock.newCondition();
    private final Condition room = lock.newCondition();
    private final ArrayDeque<byte[]> requests = new ArrayDeque<>();
    private final ArrayDeque<byte[]> data = new ArrayDeque<>();
    private final Map<Account, Integer> owed = new LinkedHashMap<>();
    private int requestBytes;
    private int dataBytes;
    private @Nullable BoxdException failure;

    Outbox(FrameEncoder encoder) {
        this.encoder = encoder;
    }

    /** Queues frames one behind the other, waiting for room no longer than the deadline allows. */
    void request(List<byte[]> frames, Deadline deadline, String what) throws InterruptedException {
        int bytes = frames.stream().mapToInt(frame -> frame.length).sum();
        lock.lockInterruptibly();
        try {
            while (alive() && requestBytes + bytes > REQUESTS_LIMIT_BYTES) {
                if (!room.await(deadline.leftNanos(), TimeUnit.NANOSECONDS) && deadline.passed()) {
                    throw deadline.exceeded(what);
                }
            }
            requests.addAll(frames);
            requestBytes += bytes;
            work.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Queues input of a command, waiting for room as long as the connection lives. */
    void data(byte[] frame) throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            while (alive() && dataBytes > 0 && dataBytes + frame.length > DATA_LIMIT_BYTES) {
                room.await();
            }
            data.add(frame);
            dataBytes += frame.length;
            work.signal();
        } catch (BoxdException e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    /** Lets the machine send so much more; never waits, because readers must not depend on writing. */
    void owe(int stream, OutputChannel channel, int bytes) {
        owe(new Account(stream, channel), bytes);
    }

    /** As {@code owe} for commands, for a tunnel. */
    void oweTunnel(int stream, int bytes) {
        owe(new Account(stream, null), bytes);
    }

    private void owe(Account account, int bytes) {
        lock.lock();
        try {
            if (failure == null) {
                owed.merge(account, bytes, Integer::sum);
                work.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The next bytes to write, waiting until there are some. */
    ByteBuffer take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (alive() && requests.isEmpty() && owed.isEmpty() && data.isEmpty()) {
                work.await();
            }
            ArrayDeque<byte[]> batch = new ArrayDeque<>();
            int bytes = takeRequests(batch) + takeCredits(batch);
            if (bytes == 0) {
                byte[] frame = data.remove();
                dataBytes -= frame.length;
                bytes = frame.length;
                batch.add(frame);
            }
            room.signalAll();
            ByteBuffer joined = ByteBuffer.allocate(bytes);
            batch.forEach(joined::put);
            return joined.flip();
        } finally {
            lock.unlock();
        }
    }

    private int takeRequests(ArrayDeque<byte[]> batch) {
        int bytes = 0;
        while (bytes < BATCH_BYTES && !requests.isEmpty()) {
            byte[] frame = requests.remove();
            bytes += frame.length;
            batch.add(frame);
        }
        requestBytes -= bytes;
        return bytes;
    }

    private int takeCredits(ArrayDeque<byte[]> batch) {
        int bytes = 0;
        Iterator<Map.Entry<Account, Integer>> accounts = owed.entrySet().iterator();
        while (bytes < BATCH_BYTES && accounts.hasNext()) {
            Map.Entry<Account, Integer> account = accounts.next();
            accounts.remove();
            byte[] frame = creditFrame(account.getKey(), account.getValue());
            bytes += frame.length;
            batch.add(frame);
        }
        return bytes;
    }

    private byte[] creditFrame(Account account, int bytes) {
        if (account.channel() == null) {
            byte[] credit = new PayloadWriter().u32(bytes).toBytes();
            return encoder.frame(Wire.DATA_CREDIT, account.stream(), credit);
        }
        byte[] credit = new PayloadWriter()
                .u8(account.channel() == OutputChannel.STDOUT ? 1 : 2)
                .u32(bytes)
                .toBytes();
        return encoder.frame(Wire.CREDIT, account.stream(), credit);
    }

    /** Ends all waiting; nothing is taken or given any more. */
    void fail(BoxdException cause) {
        lock.lock();
        try {
            failure = cause;
            work.signalAll();
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** True, or the failure of the connection as an exception of the calling thread. */
    private boolean alive() {
        if (failure != null) {
            throw new BoxdException(failure.code(), String.valueOf(failure.getMessage()), failure);
        }
        return true;
    }
}
