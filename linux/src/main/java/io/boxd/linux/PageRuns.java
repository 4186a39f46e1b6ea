package io.boxd.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * Runs of consecutive pages, as offsets into a mapping, in ascending order and never touching.
 *
 * <p>Kept as one primitive array: a busy machine has tens of thousands of runs and the list is made
 * while the machine stands still.
 */
public final class PageRuns {
    public static final int PAGE_BYTES = 4096;

    private final long[] bounds;
    private final int count;
    private final long bytes;

    private PageRuns(long[] bounds, int count, long bytes) {
        this.bounds = bounds;
        this.count = count;
        this.bytes = bytes;
    }

    public int count() {
        return count;
    }

    /** Bytes in all runs together. */
    public long bytes() {
        return bytes;
    }

    public long start(int run) {
        return bounds[2 * run];
    }

    public long end(int run) {
        return bounds[2 * run + 1];
    }

    public long length(int run) {
        return end(run) - start(run);
    }

    public static PageRuns none() {
        return new PageRuns(new long[0], 0, 0);
    }

    /** Takes stretches of a memory in ascending order, each told which of two sets it belongs to. */
    public interface Pieces {
        void piece(long start, long end, boolean first) throws IOException;
    }

    /** Goes through all pages of either set, ascending; pages of both count as the first's. */
    public static void merge(PageRuns first, PageRuns second, Pieces pieces) throws IOException {
        long at = 0;
        int i = 0;
        int j = 0;
        while (i < first.count || j < second.count) {
            if (j < second.count && at >= second.end(j)) {
                j++;
            } else if (i < first.count && (j == second.count || first.start(i) <= Math.max(at, second.start(j)))) {
                pieces.piece(first.start(i), first.end(i), true);
                at = first.end(i++);
            } else {
                long start = Math.max(at, second.start(j));
                long end = i < first.count ? Math.min(second.end(j), first.start(i)) : second.end(j);
                pieces.piece(start, end, false);
                at = end;
            }
        }
    }

    /** The pages of either. */
    public static PageRuns union(PageRuns first, PageRuns second) {
        Builder union = new Builder();
        try {
            merge(first, second, (start, end, _) -> union.add(start, end));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return union.build();
    }

    /** Collects runs in ascending order and joins those that touch. */
    public static final class Builder {
        private long[] bounds = new long[1024];
        private int count;
        private long bytes;

        public void add(long start, long end) {
            if (start < 0 || end <= start || (count > 0 && start < bounds[2 * count - 1])) {
                throw new IllegalArgumentException("run " + start + ".." + end + " is empty or out of order");
            }
            bytes += end - start;
            if (count > 0 && bounds[2 * count - 1] == start) {
                bounds[2 * count - 1] = end;
                return;
            }
            if (2 * count == bounds.length) {
                bounds = Arrays.copyOf(bounds, bounds.length * 2);
            }
            bounds[2 * count] = start;
            bounds[2 * count + 1] = end;
            count++;
        }

        public PageRuns build() {
            return new PageRuns(Arrays.copyOf(bounds, 2 * count), count, bytes);
        }
    }
}
