package io.boxd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Asks the kernel which pages of a private file mapping are no longer the file's.
 *
 * <p>A page that the process wrote is anonymous: present or swapped, and not file-backed. The kernel
 * keeps that set anyway, so knowing it costs nothing until asked. Kernels from 6.7 answer through one
 * ioctl with ranges; older ones through eight bytes a page.
 */
final class Pagemap {
    private static final int PAGE = PageRuns.PAGE_BYTES;

    private Pagemap() {}

    static PageRuns ownPages(int pid, FileMapping mapping) {
        PageRuns runs = Scan.ownPages(pid, mapping);
        return runs != null ? runs : readOwnPages(pid, mapping);
    }

    /** The eight-bytes-a-page way, for kernels without the ioctl. */
    static PageRuns readOwnPages(int pid, FileMapping mapping) {
        final long swappedOrPresent = 0b11L << 62;
        final long fileBacked = 1L << 61;
        PageRuns.Builder runs = new PageRuns.Builder();
        Path path = Path.of("/proc", Integer.toString(pid), "pagemap");
        try (FileChannel pagemap = FileChannel.open(path, StandardOpenOption.READ)) {
            ByteBuffer chunk = ByteBuffer.allocateDirect(1 << 20).order(ByteOrder.nativeOrder());
            long pages = mapping.bytes() / PAGE;
            long page = 0;
            while (page < pages) {
                chunk.clear().limit((int) Math.min(chunk.capacity(), (pages - page) * 8));
                int n = pagemap.read(chunk, (mapping.address() / PAGE + page) * 8);
                if (n <= 0) {
                    throw new BoxdException(ErrorCode.UNAVAILABLE, "process " + pid + " ended while it was scanned");
                }
                for (int i = 0; i + 8 <= n; i += 8, page++) {
                    long entry = chunk.getLong(i);
                    if ((entry & swappedOrPresent) != 0 && (entry & fileBacked) == 0) {
                        runs.add(page * PAGE, (page + 1) * PAGE);
                    }
                }
            }
            return runs.build();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "cannot scan the pages of process " + pid, e);
        }
    }

    /** The PAGEMAP_SCAN ioctl; remembers a kernel that lacks it. */
    static final class Scan {
        private static final MethodHandle IOCTL =
                Native.bindVariadic("ioctl", 2, JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS);

        private static final long PAGEMAP_SCAN = 0xC0606610L;
        private static final int ARGUMENT_BYTES = 96;
        private static final int REGION_BYTES = 24;
        private static final int REGIONS = 4096;
        private static final long IS_FILE = 1 << 2;
        private static final long IS_PRESENT = 1 << 3;
        private static final long IS_SWAPPED = 1 << 4;

        private static volatile boolean missing;

        private Scan() {}

        static @Nullable PageRuns ownPages(int pid, FileMapping mapping) {
            if (missing) {
                return null;
            }
            int fd = Native.Files.openReadOnly("/proc/" + pid + "/pagemap");
            try (Arena arena = Arena.ofConfined()) {
                return scan(fd, mapping, arena);
            } finally {
                Native.Files.close(fd);
            }
        }

        private static @Nullable PageRuns scan(int fd, FileMapping mapping, Arena arena) {
            MemorySegment captured = Native.newErrno(arena);
            MemorySegment argument = arena.allocate(ARGUMENT_BYTES, 8);
            MemorySegment regions = arena.allocate((long) REGIONS * REGION_BYTES, 8);
            PageRuns.Builder runs = new PageRuns.Builder();
            long end = mapping.address() + mapping.bytes();
            long at = mapping.address();
            while (at < end) {
                fill(argument, at, end, regions);
                int found = invoke(fd, argument, captured);
                if (found < 0) {
                    int errno = Native.errno(captured);
                    if (errno == Native.EINTR) {
                        continue;
                    }
                    if (errno == 25 || errno == 22) {
                        missing = true;
                        return null;
                    }
                    throw Native.failure("scanning pages", captured);
                }
                for (int i = 0; i < found; i++) {
                    long start = regions.get(JAVA_LONG, (long) i * REGION_BYTES);
                    long stop = regions.get(JAVA_LONG, (long) i * REGION_BYTES + 8);
                    runs.add(start - mapping.address(), stop - mapping.address());
                }
                // The kernel's own "walked up to" is stale after its internal buffer ran full once (seen on
                // 6.18), so go by the answer: fewer regions than there was room for means all of them.
                at = found < REGIONS ? end : regions.get(JAVA_LONG, (long) (found - 1) * REGION_BYTES + 8);
            }
            return runs.build();
        }

        private static void fill(MemorySegment argument, long start, long end, MemorySegment regions) {
            argument.fill((byte) 0);
            argument.set(JAVA_LONG, 0, ARGUMENT_BYTES);
            argument.set(JAVA_LONG, 16, start);
            argument.set(JAVA_LONG, 24, end);
            argument.set(JAVA_LONG, 40, regions.address());
            argument.set(JAVA_LONG, 48, REGIONS);
            argument.set(JAVA_LONG, 64, IS_FILE); // inverted: "not file-backed"
            argument.set(JAVA_LONG, 72, IS_FILE); // all of these must hold
            argument.set(JAVA_LONG, 80, IS_PRESENT | IS_SWAPPED); // and any of these
            argument.set(JAVA_LONG, 88, IS_FILE); // one constant category, so that neighbours join
        }

        private static int invoke(int fd, MemorySegment argument, MemorySegment captured) {
            try {
                return (int) IOCTL.invokeExact(captured, fd, PAGEMAP_SCAN, argument);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw Native.impossible(e);
            }
        }
    }
}
