package io.boxd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * What a file system can still take.
 *
 * @param inodes how many more files; some file systems have no limit and say so with a huge number
 */
public record FreeSpace(long bytes, long inodes) {
    private static final MethodHandle STATVFS = Native.bind("statvfs", JAVA_INT, ADDRESS, ADDRESS);
    private static final int STRUCT_BYTES = 112;
    private static final int FRAGMENT_SIZE = 8;
    private static final int BLOCKS_AVAILABLE = 32;
    private static final int INODES = 40;
    private static final int INODES_AVAILABLE = 56;

    public static FreeSpace of(Path path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment captured = Native.newErrno(arena);
            MemorySegment facts = arena.allocate(STRUCT_BYTES, 8);
            int result = (int) STATVFS.invokeExact(captured, arena.allocateFrom(path.toString()), facts);
            if (result != 0) {
                throw Native.failure("asking for the free space of " + path, captured);
            }
            boolean counted = facts.get(JAVA_LONG, INODES) > 0;
            return new FreeSpace(
                    facts.get(JAVA_LONG, FRAGMENT_SIZE) * facts.get(JAVA_LONG, BLOCKS_AVAILABLE),
                    counted ? facts.get(JAVA_LONG, INODES_AVAILABLE) : Long.MAX_VALUE);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.impossible(e);
        }
    }
}
