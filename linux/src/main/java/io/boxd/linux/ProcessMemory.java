package io.boxd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * One file mapping of another process: which of its pages are the process's own, and copying them.
 *
 * <p>Needs the rights of a debugger over that process (root has them, also over a jailed one). The
 * caller makes sure that the process stands still while pages are copied.
 */
public final class ProcessMemory {
    private static final MethodHandle READV =
            Native.bind("process_vm_readv", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle WRITEV =
            Native.bind("process_vm_writev", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG);

    /** The kernel's own limit of pieces a call (UIO_MAXIOV). */
    private static final int MAX_PIECES = 1024;
    /** Bounds one call, so that a copy can be shared out between threads and stays interruptible. */
    private static final long MAX_CALL_BYTES = 64L << 20;

    private static final int IOVEC_BYTES = 16;

    private final int pid;
    private final FileMapping mapping;

    public ProcessMemory(int pid, FileMapping mapping) {
        this.pid = pid;
        this.mapping = mapping;
    }

    public long size() {
        return mapping.bytes();
    }

    /** Pages that the process has written since it mapped the file, as offsets into the mapping. */
    public PageRuns ownPages() {
        return Pagemap.ownPages(pid, mapping);
    }

    /** Copies all runs, one behind the other, into the buffer. */
    public void read(PageRuns runs, PageBuffer target) {
        read(runs, 0, runs.count(), target, 0);
    }

    /** Copies runs {@code from} to {@code to} (exclusive) into the buffer, from the offset on. */
    public void read(PageRuns runs, int from, int to, PageBuffer target, long offset) {
        transfer(READV, "reading", runs, from, to, target.memory().asSlice(offset));
    }

    /** Copies the buffer's bytes, one run behind the other, over the mapping's pages. */
    public void write(PageRuns runs, PageBuffer source) {
        write(runs, 0, runs.count(), source, 0);
    }

    /** Copies the buffer's bytes from the offset on over runs {@code from} to {@code to} (exclusive). */
    public void write(PageRuns runs, int from, int to, PageBuffer source, long offset) {
        transfer(WRITEV, "writing", runs, from, to, source.memory().asSlice(offset));
    }

    private void transfer(MethodHandle call, String verb, PageRuns runs, int from, int to, MemorySegment local) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment remoteVector = arena.allocate((long) MAX_PIECES * IOVEC_BYTES, 8);
            MemorySegment localVector = arena.allocate(IOVEC_BYTES, 8);
            MemorySegment captured = Native.newErrno(arena);
            long localOffset = 0;
            int run = from;
            long runOffset = 0;
            while (run < to) {
                int pieces = 0;
                long bytes = 0;
                while (run < to && pieces < MAX_PIECES && bytes < MAX_CALL_BYTES) {
                    long length = Math.min(runs.length(run) - runOffset, MAX_CALL_BYTES - bytes);
                    setPiece(remoteVector, pieces++, mapping.address() + runs.start(run) + runOffset, length);
                    bytes += length;
                    runOffset += length;
                    if (runOffset == runs.length(run)) {
                        run++;
                        runOffset = 0;
                    }
                }
                setPiece(localVector, 0, local.address() + localOffset, bytes);
                copy(call, verb, localVector, remoteVector, pieces, bytes, captured);
                localOffset += bytes;
            }
        }
    }

    private void copy(
            MethodHandle call,
            String verb,
            MemorySegment localVector,
            MemorySegment remoteVector,
            int pieces,
            long bytes,
            MemorySegment captured) {
        try {
            long moved = (long) call.invokeExact(captured, pid, localVector, 1L, remoteVector, (long) pieces, 0L);
            if (moved == bytes) {
                return;
            }
            String reason = moved < 0 ? Errno.text(Native.errno(captured)) : "only " + moved + " of " + bytes;
            throw new BoxdException(ErrorCode.INTERNAL, verb + " memory of process " + pid + " failed: " + reason);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw Native.impossible(e);
        }
    }

    private static void setPiece(MemorySegment vector, int index, long address, long length) {
        vector.set(JAVA_LONG, (long) index * IOVEC_BYTES, address);
        vector.set(JAVA_LONG, (long) index * IOVEC_BYTES + 8, length);
    }
}
