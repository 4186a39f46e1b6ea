package io.boxd.guest.image;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The right to build one part, held against other threads and other processes.
 *
 * <p>The kernel drops the file lock when a process dies, so nobody waits for a builder that is gone. Lock files stay:
 * removing one while another process waits for it would let two in.
 */
final class BuildLock implements AutoCloseable {
    /** File locks belong to the whole process, so threads need something of their own. */
    private static final ConcurrentMap<Path, Semaphore> THREADS = new ConcurrentHashMap<>();

    private final Semaphore turn;
    private final FileChannel channel;

    private BuildLock(Semaphore turn, FileChannel channel) {
        this.turn = turn;
        this.channel = channel;
    }

    static BuildLock acquire(Path file, Deadline deadline) throws IOException {
        Semaphore turn = turnOf(file);
        FileChannel channel = null;
        boolean held = false;
        try {
            if (!turn.tryAcquire(deadline.leftNanos(), TimeUnit.NANOSECONDS)) {
                throw deadline.exceeded("waiting for another build of " + file.getFileName());
            }
            held = true;
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            await(channel, file, deadline);
            BuildLock lock = new BuildLock(turn, channel);
            channel = null;
            held = false;
            return lock;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "interrupted while waiting for another build", e);
        } finally {
            release(channel, held ? turn : null);
        }
    }

    /** The lock, unless somebody holds it. */
    static Optional<BuildLock> tryAcquire(Path file) throws IOException {
        Semaphore turn = turnOf(file);
        if (!turn.tryAcquire()) {
            return Optional.empty();
        }
        FileChannel channel = null;
        boolean kept = false;
        try {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            kept = channel.tryLock() != null;
            return kept ? Optional.of(new BuildLock(turn, channel)) : Optional.empty();
        } catch (OverlappingFileLockException e) {
            return Optional.empty();
        } finally {
            if (!kept) {
                release(channel, turn);
            }
        }
    }

    /** Waiting for a file lock knows no time limit, but closing the channel ends it. */
    private static void await(FileChannel channel, Path file, Deadline deadline)
            throws IOException, InterruptedException {
        AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
        CountDownLatch ended = new CountDownLatch(1);
        Thread.ofPlatform().daemon().name("build-lock").start(() -> {
            try {
                channel.lock();
            } catch (IOException e) {
                failure.set(e);
            } finally {
                ended.countDown();
            }
        });
        if (!ended.await(deadline.leftNanos(), TimeUnit.NANOSECONDS)) {
            throw deadline.exceeded("waiting for another process to build " + file.getFileName());
        }
        IOException failed = failure.get();
        if (failed != null) {
            throw failed;
        }
    }

    private static Semaphore turnOf(Path file) {
        return THREADS.computeIfAbsent(file.toAbsolutePath().normalize(), _ -> new Semaphore(1));
    }

    private static void release(@Nullable FileChannel channel, @Nullable Semaphore turn) throws IOException {
        try {
            if (channel != null) {
                channel.close();
            }
        } finally {
            if (turn != null) {
                turn.release();
            }
        }
    }

    @Override
    public void close() throws IOException {
        release(channel, turn);
    }
}
