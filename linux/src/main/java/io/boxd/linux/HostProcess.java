package io.boxd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A process of this host, told apart by pid and start time, since pids are used again.
 *
 * <p>Need not be our child: machines outlive the server that started them.
 */
public record HostProcess(int pid, long startTicks) {
    /** What user space is told is in hundredths of a second, whatever the kernel's own clock is. */
    private static final long MILLIS_PER_TICK = 10;

    /** The process that has this pid now; empty when there is none, or only its zombie. */
    public static Optional<HostProcess> of(int pid) {
        return stat(pid).filter(s -> !s.dead()).map(s -> new HostProcess(pid, s.startTicks()));
    }

    /** A zombie counts as dead: init may take seconds to collect it. */
    public boolean alive() {
        return stat(pid).filter(s -> s.startTicks() == startTicks && !s.dead()).isPresent();
    }

    /** Ends the process at once; no effect when it is gone already. */
    public void kill() {
        if (alive()) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    /** Waits for the end without polling; false when the deadline came first. */
    public boolean awaitEnd(Deadline deadline) {
        // The native wait would hold a carrier of virtual threads, hence a thread of its own.
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("await-process-" + pid).start(() -> {
            try {
                ended.complete(Wait.forEnd(this, deadline));
            } catch (RuntimeException | Error e) {
                ended.completeExceptionally(e);
            }
        });
        return ended.join();
    }

    /** Memory of the process that no file backs, in bytes: what its end would free. */
    public long privateBytes() {
        long kilobytes = 0;
        try {
            for (String line : Files.readAllLines(Path.of("/proc", Integer.toString(pid), "smaps_rollup"))) {
                if (line.startsWith("Anonymous:")) {
                    kilobytes += Long.parseLong(line.replaceAll("\\D+", ""));
                }
            }
            return kilobytes * 1024;
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "process " + pid + " is gone", e);
        }
    }

    /** Processor time of all its threads so far; nothing once it is gone. */
    public Duration cpuTime() {
        return stat(pid)
                .filter(s -> s.startTicks() == startTicks)
                .map(s -> Duration.ofMillis(s.cpuTicks() * MILLIS_PER_TICK))
                .orElse(Duration.ZERO);
    }

    /** The part of {@code /proc/PID/stat} that tells a process's life. */
    record Stat(char state, int threads, long startTicks, long cpuTicks) {
        static Stat parse(String text) {
            // The name in parentheses may hold anything, so count fields from its end.
            String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
            return new Stat(
                    fields[0].charAt(0),
                    Integer.parseInt(fields[17]),
                    Long.parseLong(fields[19]),
                    Long.parseLong(fields[11]) + Long.parseLong(fields[12]));
        }

        /** A process whose first thread has ended looks like a zombie while its other threads run on. */
        boolean dead() {
            return (state == 'Z' || state == 'X') && threads <= 1;
        }
    }

    private static Optional<Stat> stat(int pid) {
        try {
            return Optional.of(Stat.parse(Files.readString(Path.of("/proc", Integer.toString(pid), "stat"))));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Waiting on a pidfd, the one handle that tells the end of a process that is not our child. */
    private static final class Wait {
        private static final MethodHandle SYSCALL =
                Native.bindVariadic("syscall", 1, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
        private static final MethodHandle POLL = Native.bind("poll", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
        private static final long PIDFD_OPEN = 434;
        private static final short POLLIN = 1;

        private Wait() {}

        static boolean forEnd(HostProcess process, Deadline deadline) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment captured = Native.newErrno(arena);
                int fd = (int) (long) SYSCALL.invokeExact(captured, PIDFD_OPEN, (long) process.pid, 0L);
                if (fd < 0) {
                    return !process.alive();
                }
                try {
                    // Opened by number: make sure it is still the process that was meant.
                    return !process.alive() || poll(fd, deadline, arena, captured) || !process.alive();
                } finally {
                    Native.Files.close(fd);
                }
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw Native.impossible(e);
            }
        }

        private static boolean poll(int fd, Deadline deadline, Arena arena, MemorySegment captured) throws Throwable {
            MemorySegment pollfd = arena.allocate(8, 4);
            pollfd.set(JAVA_INT, 0, fd);
            pollfd.set(JAVA_SHORT, 4, POLLIN);
            while (true) {
                int timeout = (int) Math.min(Integer.MAX_VALUE, deadline.leftMillis());
                int ready = (int) POLL.invokeExact(captured, pollfd, 1L, timeout);
                if (ready >= 0) {
                    return ready > 0;
                }
                if (Native.errno(captured) != Native.EINTR) {
                    throw Native.failure("waiting for a process", captured);
                }
            }
        }
    }
}
