package io.boxd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The few C library functions that Java has no equivalent for, with errno captured per call.
 *
 * <p>Each function is bound on first use of its holder class: binding costs milliseconds, and a
 * program that never forks a machine never pays.
 */
final class Native {
    static final int O_RDONLY = 0;
    static final int O_RDWR = 2;
    static final int O_CLOEXEC = 0x80000;
    static final int EINTR = 4;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option CAPTURE_ERRNO = Linker.Option.captureCallState("errno");
    private static final StructLayout CAPTURE_LAYOUT = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CAPTURE_LAYOUT.varHandle(PathElement.groupElement("errno"));

    private Native() {}

    /** Binds a function whose result is a C long or pointer-sized value, -1 on failure. */
    static MethodHandle bind(String name, MemoryLayout result, MemoryLayout... arguments) {
        MemorySegment symbol = LINKER.defaultLookup()
                .find(name)
                .orElseThrow(() -> new BoxdException(ErrorCode.INTERNAL, "the C library has no " + name));
        return LINKER.downcallHandle(symbol, FunctionDescriptor.of(result, arguments), CAPTURE_ERRNO);
    }

    /** Like {@link #bind} for variadic functions such as open and ioctl. */
    static MethodHandle bindVariadic(String name, int firstVariadic, MemoryLayout result, MemoryLayout... arguments) {
        MemorySegment symbol = LINKER.defaultLookup()
                .find(name)
                .orElseThrow(() -> new BoxdException(ErrorCode.INTERNAL, "the C library has no " + name));
        return LINKER.downcallHandle(
                symbol,
                FunctionDescriptor.of(result, arguments),
                CAPTURE_ERRNO,
                Linker.Option.firstVariadicArg(firstVariadic));
    }

    static MemorySegment newErrno(Arena arena) {
        return arena.allocate(CAPTURE_LAYOUT);
    }

    static int errno(MemorySegment captured) {
        return (int) ERRNO.get(captured, 0L);
    }

    static BoxdException failure(String what, MemorySegment captured) {
        return new BoxdException(ErrorCode.INTERNAL, what + " failed: " + Errno.text(errno(captured)));
    }

    /** A checked exception from a method handle is a bug in a binding: every binding throws none. */
    static AssertionError impossible(Throwable thrown) {
        return new AssertionError("native binding", thrown);
    }

    /** Open and close of raw descriptors, for files that only ioctl understands. */
    static final class Files {
        private static final MethodHandle OPEN = bindVariadic("open", 2, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
        private static final MethodHandle CLOSE = bind("close", JAVA_INT, JAVA_INT);

        private Files() {}

        static int openReadOnly(String path) {
            return open(path, O_RDONLY);
        }

        static int open(String path, int flags) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment captured = newErrno(arena);
                int fd = (int) OPEN.invokeExact(captured, arena.allocateFrom(path), flags | O_CLOEXEC, 0);
                if (fd < 0) {
                    throw failure("open " + path, captured);
                }
                return fd;
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw impossible(e);
            }
        }

        static void close(int fd) {
            try (Arena arena = Arena.ofConfined()) {
                // A failed close of a read-only descriptor leaves nothing to recover.
                int ignored = (int) CLOSE.invokeExact(newErrno(arena), fd);
                assert ignored <= 0;
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw impossible(e);
            }
        }
    }

    /** Pointer-sized integers as the C library declares them on every 64-bit Linux. */
    static final MemoryLayout SIZE_T = JAVA_LONG;
}
