package io.boxd.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.boxd.common.Deadline;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Whether a file can still be written by somebody who opened it earlier: owner and permissions decide
 * only about opening, and who has it open may keep it.
 */
public final class FileWriters {
    private static final MethodHandle FCNTL = Native.bindVariadic("fcntl", 2, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final int SET_LEASE = 1024;
    private static final int READ_LEASE = 0;
    private static final int EAGAIN = 11;

    private FileWriters() {}

    /**
     * Waits until nobody has the file open (or mapped) for writing; false when the deadline came first.
     *
     * <p>The caller has made sure that nobody can open it again.
     */
    public static boolean awaitNone(Path file, Deadline deadline) {
        while (any(file)) {
            if (deadline.passed()) {
                return false;
            }
            // No event tells that a descriptor was closed.
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        return true;
    }

    /** The kernel grants a lease for reading only on a file that nobody has open for writing. */
    private static boolean any(Path file) {
        int fd = Native.Files.openReadOnly(file.toString());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment captured = Native.newErrno(arena);
            int result = (int) FCNTL.invokeExact(captured, fd, SET_LEASE, READ_LEASE);
            if (result != 0 && Native.errno(captured) != EAGAIN) {
                throw Native.failure("asking who writes " + file, captured);
            }
            return result != 0;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.impossible(e);
        } finally {
            // Closing gives the lease back.
            Native.Files.close(fd);
        }
    }
}
