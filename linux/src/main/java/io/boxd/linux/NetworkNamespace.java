package io.boxd.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Doing something inside another network namespace: opening a socket, setting a switch of the kernel.
 *
 * <p>A namespace is a property of the operating system's thread, so each piece of work gets a platform
 * thread of its own that ends with it and cannot carry the namespace elsewhere. What was opened inside
 * stays usable from any thread.
 */
public final class NetworkNamespace {
    private static final MethodHandle SETNS = Native.bind("setns", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final int CLONE_NEWNET = 0x4000_0000;

    private NetworkNamespace() {}

    /**
     * Runs the work with the namespace at this path (such as {@code /run/netns/NAME}) around it.
     *
     * <p>The work must not start threads, virtual ones and other programs included: they would be born
     * in the namespace, and threads of the runtime would stay there for good.
     */
    public static <T> T inside(Path namespace, Callable<T> work, Deadline deadline) {
        FutureTask<T> task = new FutureTask<>(() -> {
            enter(namespace);
            return work.call();
        });
        Thread.ofPlatform().daemon().name("inside-namespace").start(task);
        try {
            return task.get(deadline.leftNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw deadline.exceeded("work in namespace " + namespace.getFileName());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "work in a namespace was interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BoxdException known) {
                throw new BoxdException(
                        known.code(),
                        "in namespace " + namespace.getFileName() + ": " + known.getMessage(),
                        known.hint(),
                        known);
            }
            throw new BoxdException(
                    ErrorCode.INTERNAL, "work in namespace " + namespace.getFileName() + " failed", e.getCause());
        }
    }

    private static void enter(Path namespace) {
        int fd = Native.Files.openReadOnly(namespace.toString());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment captured = Native.newErrno(arena);
            int result = (int) SETNS.invokeExact(captured, fd, CLONE_NEWNET);
            if (result != 0) {
                throw Native.failure("entering namespace " + namespace, captured);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.impossible(e);
        } finally {
            Native.Files.close(fd);
        }
    }
}
