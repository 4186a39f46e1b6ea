package io.boxd.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Files with holes: where their data is, and digging holes where they hold only zeros. */
public final class SparseFile {
    private static final MethodHandle LSEEK = Native.bind("lseek", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final MethodHandle FALLOCATE =
            Native.bind("fallocate", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle OPEN =
            Native.bindVariadic("open", 2, JAVA_INT, java.lang.foreign.ValueLayout.ADDRESS, JAVA_INT, JAVA_INT);

    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;
    private static final int PUNCH_HOLE_KEEP_SIZE = 0x02 | 0x01;
    private static final int O_RDWR = 2;
    private static final int ENXIO = 6;
    private static final int CHUNK_BYTES = 1 << 20;

    private SparseFile() {}

    /** A stretch of a file that holds data. */
    public record Extent(long start, long end) {}

    public static List<Extent> dataOf(Path file) {
        int fd = Native.Files.openReadOnly(file.toString());
        try {
            List<Extent> extents = new ArrayList<>();
            long at = 0;
            while (true) {
                long start = seek(fd, at, SEEK_DATA);
                if (start < 0) {
                    return extents;
                }
                long end = seek(fd, start, SEEK_HOLE);
                extents.add(new Extent(start, end));
                at = end;
            }
        } finally {
            Native.Files.close(fd);
        }
    }

    /** Frees the space of every page that holds only zeros; returns the bytes of data that are left. */
    public static long digHoles(Path file) {
        long kept = 0;
        int fd = openForWriting(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
            for (Extent extent : dataOf(file)) {
                for (long at = extent.start(); at < extent.end(); at += CHUNK_BYTES) {
                    chunk.clear().limit((int) Math.min(CHUNK_BYTES, extent.end() - at));
                    int n = channel.read(chunk, at);
                    if (n > 0) {
                        kept += digIn(fd, chunk, at, n);
                    }
                }
            }
            return kept;
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot read " + file, e);
        } finally {
            Native.Files.close(fd);
        }
    }

    private static long digIn(int fd, ByteBuffer chunk, long at, int length) {
        long kept = 0;
        int zeroFrom = -1;
        for (int page = 0; page < length; page += PageRuns.PAGE_BYTES) {
            int pageLength = Math.min(PageRuns.PAGE_BYTES, length - page);
            if (pageLength == PageRuns.PAGE_BYTES && isZero(chunk, page, pageLength)) {
                zeroFrom = zeroFrom < 0 ? page : zeroFrom;
                continue;
            }
            kept += pageLength;
            if (zeroFrom >= 0) {
                punch(fd, at + zeroFrom, page - zeroFrom);
                zeroFrom = -1;
            }
        }
        if (zeroFrom >= 0) {
            punch(fd, at + zeroFrom, length - zeroFrom);
        }
        return kept;
    }

    private static boolean isZero(ByteBuffer chunk, int from, int length) {
        for (int i = from; i < from + length; i += 8) {
            if (chunk.getLong(i) != 0) {
                return false;
            }
        }
        return true;
    }

    private static long seek(int fd, long offset, int whence) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment captured = Native.newErrno(arena);
            long at = (long) LSEEK.invokeExact(captured, fd, offset, whence);
            if (at < 0 && Native.errno(captured) != ENXIO) {
                throw Native.failure("looking for holes", captured);
            }
            return at;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.impossible(e);
        }
    }

    private static void punch(int fd, long offset, long length) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment captured = Native.newErrno(arena);
            int result = (int) FALLOCATE.invokeExact(captured, fd, PUNCH_HOLE_KEEP_SIZE, offset, length);
            if (result != 0) {
                throw Native.failure("digging a hole", captured);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.impossible(e);
        }
    }

    private static int openForWriting(Path file) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment captured = Native.newErrno(arena);
            int fd =
                    (int) OPEN.invokeExact(captured, arena.allocateFrom(file.toString()), O_RDWR | Native.O_CLOEXEC, 0);
            if (fd < 0) {
                throw Native.failure("open " + file, captured);
            }
            return fd;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.impossible(e);
        }
    }
}
