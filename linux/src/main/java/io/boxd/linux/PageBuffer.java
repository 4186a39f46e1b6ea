package io.boxd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Host memory outside the Java heap whose pages are already there.
 *
 * <p>Copying into memory that is not yet faulted in runs at a twentieth of the speed, so the buffer
 * is populated when it is made, which must happen outside of any pause. Not thread-safe in its life
 * cycle: one owner closes it, once, when no copy is running any more.
 */
public final class PageBuffer implements AutoCloseable {
    private static final MethodHandle MMAP =
            Native.bind("mmap", JAVA_LONG, ADDRESS, Native.SIZE_T, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG);
    private static final MethodHandle MUNMAP = Native.bind("munmap", JAVA_INT, ADDRESS, Native.SIZE_T);

    private static final int PROT_READ = 0x1;
    private static final int PROT_READ_WRITE = 0x1 | 0x2;
    private static final int MAP_PRIVATE = 0x02;
    private static final int MAP_POPULATE = 0x8000;
    private static final int MAP_PRIVATE_ANONYMOUS_POPULATE = MAP_PRIVATE | 0x20 | MAP_POPULATE;

    private final MemorySegment memory;
    private boolean closed;

    private PageBuffer(MemorySegment memory) {
        this.memory = memory;
    }

    public static PageBuffer allocate(long bytes) {
        long address = map(bytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_POPULATE, -1, 0);
        if (address < 0) {
            throw new BoxdException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "no " + bytes + " bytes of memory to copy a machine's pages into: " + Errno.text((int) -address),
                    "Free memory on the host, or let idle machines hibernate.",
                    null);
        }
        return new PageBuffer(MemorySegment.ofAddress(address).reinterpret(bytes));
    }

    /**
     * Part of a file, read-only; its pages are the page cache's own.
     *
     * @param offset a multiple of the page size
     */
    public static PageBuffer ofFile(Path file, long offset, long bytes) {
        if (bytes == 0) {
            return ofNothing();
        }
        int fd = Native.Files.openReadOnly(file.toString());
        try {
            long address = map(bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, offset);
            if (address < 0) {
                throw new BoxdException(
                        ErrorCode.UNAVAILABLE, "cannot map " + file + ": " + Errno.text((int) -address));
            }
            return new PageBuffer(
                    MemorySegment.ofAddress(address).reinterpret(bytes).asReadOnly());
        } finally {
            Native.Files.close(fd);
        }
    }

    public static PageBuffer ofNothing() {
        return new PageBuffer(MemorySegment.NULL);
    }

    /** The address, or the negated error number. */
    private static long map(long bytes, int protection, int flags, int fd, long offset) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment captured = Native.newErrno(arena);
            long address = (long) MMAP.invokeExact(captured, MemorySegment.NULL, bytes, protection, flags, fd, offset);
            return address == -1 ? -Native.errno(captured) : address;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.impossible(e);
        }
    }

    /** A view of part of the buffer; using it after {@link #close} would crash the process. */
    public ByteBuffer bytes(long offset, int length) {
        return memory().asSlice(offset, length).asByteBuffer();
    }

    public void copyTo(PageBuffer other) {
        MemorySegment.copy(memory(), 0, other.memory(), 0, size());
    }

    MemorySegment memory() {
        if (closed) {
            throw new IllegalStateException("page buffer is closed");
        }
        return memory;
    }

    public long size() {
        return memory.byteSize();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (memory.byteSize() == 0) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            int result = (int) MUNMAP.invokeExact(Native.newErrno(arena), memory, memory.byteSize());
            assert result == 0 : "munmap of our own mapping cannot fail";
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.impossible(e);
        }
    }
}
