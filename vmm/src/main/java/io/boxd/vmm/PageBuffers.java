package io.boxd.vmm;

import io.boxd.linux.PageBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps populated buffers between forks: making one costs far more than filling it.
 *
 * <p>What is kept idle is bounded; a buffer larger than the bound lives for one fork only.
 */
final class PageBuffers implements AutoCloseable {
    private static final long STEP_BYTES = 32L << 20;

    private final long maxIdleBytes;
    private final List<PageBuffer> idle = new ArrayList<>();
    private long idleBytes;
    private boolean closed;

    PageBuffers(long maxIdleBytes) {
        this.maxIdleBytes = maxIdleBytes;
    }

    /** A buffer of at least this size, from the idle ones if any is large enough. */
    PageBuffer take(long bytes) {
        PageBuffer found = takeIdle(bytes);
        return found != null ? found : PageBuffer.allocate(Math.max(1, Math.ceilDiv(bytes, STEP_BYTES)) * STEP_BYTES);
    }

    private synchronized @Nullable PageBuffer takeIdle(long bytes) {
        PageBuffer best = null;
        for (PageBuffer buffer : idle) {
            if (buffer.size() >= bytes && (best == null || buffer.size() < best.size())) {
                best = buffer;
            }
        }
        if (best != null) {
            idle.remove(best);
            idleBytes -= best.size();
        }
        return best;
    }

    synchronized void giveBack(PageBuffer buffer) {
        if (idle.contains(buffer)) {
            // Two users would write into the same memory, and one would unmap it below the other.
            throw new IllegalStateException("a page buffer was given back twice");
        }
        if (closed || buffer.size() > maxIdleBytes) {
            buffer.close();
            return;
        }
        // Make room by dropping the smallest: a large one serves every request.
        idle.sort((a, b) -> Long.compare(a.size(), b.size()));
        Iterator<PageBuffer> smallest = idle.iterator();
        while (idleBytes + buffer.size() > maxIdleBytes && smallest.hasNext()) {
            PageBuffer dropped = smallest.next();
            smallest.remove();
            idleBytes -= dropped.size();
            dropped.close();
        }
        idle.add(buffer);
        idleBytes += buffer.size();
    }

    @Override
    public synchronized void close() {
        closed = true;
        idle.forEach(PageBuffer::close);
        idle.clear();
        idleBytes = 0;
    }
}
