package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.PageBuffer;
import io.boxd.linux.PageRuns;
import io.boxd.linux.ProcessMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Copies runs of pages with all processors at once.
 *
 * <p>On platform threads of its own: a native copy would hold the carriers of virtual threads.
 */
final class MemoryCopier implements AutoCloseable {
    private static final long MIN_PART_BYTES = 4L << 20;

    private final int processors = Runtime.getRuntime().availableProcessors();
    private final ExecutorService threads = Executors.newFixedThreadPool(
            processors, Thread.ofPlatform().daemon().name("memory-copier-", 0).factory());

    private interface Part {
        void copy(int from, int to, long offset);
    }

    void read(ProcessMemory source, PageRuns runs, PageBuffer target) {
        split(runs, (from, to, offset) -> source.read(runs, from, to, target, offset));
    }

    void write(ProcessMemory target, PageRuns runs, PageBuffer source) {
        split(runs, (from, to, offset) -> target.write(runs, from, to, source, offset));
    }

    /** Which pages are the process's own; a native scan, so not on a virtual thread's carrier. */
    PageRuns ownPages(ProcessMemory memory) {
        return await(threads.submit(memory::ownPages));
    }

    private void split(PageRuns runs, Part part) {
        long partBytes = Math.max(MIN_PART_BYTES, runs.bytes() / processors + 1);
        List<Future<?>> parts = new ArrayList<>();
        int from = 0;
        long offset = 0;
        while (from < runs.count()) {
            int to = from;
            long bytes = 0;
            while (to < runs.count() && bytes < partBytes) {
                bytes += runs.length(to++);
            }
            int first = from;
            int last = to;
            long start = offset;
            parts.add(threads.submit(() -> part.copy(first, last, start)));
            from = to;
            offset += bytes;
        }
        parts.forEach(MemoryCopier::await);
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BoxdException known) {
                throw known;
            }
            throw new BoxdException(ErrorCode.INTERNAL, "copying memory failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "copying memory was interrupted", e);
        }
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
