package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.PageBuffer;
import io.boxd.linux.PageRuns;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The pages in which a machine's memory differs from its base, as a file.
 *
 * <pre>
 *   u64 magic, u64 bytes of the whole memory, u64 number of runs, u64 offset of the pages
 *   u64 start, u64 end     of each run in the memory, ascending
 *   zeros up to the next page
 *   the pages, one run behind the other
 * </pre>
 *
 * <p>The pages lie on page boundaries, so that they can be copied into a machine straight from the
 * page cache. Numbers are little-endian.
 */
final class MemoryDelta {
    private static final long MAGIC = 0x31_6d_65_6d_64_78_6f_62L; // "boxdmem1"
    private static final int HEADER_BYTES = 32;
    private static final int RUN_BYTES = 16;

    private MemoryDelta() {}

    /** What was read: where pages belong, and the pages, mapped. */
    record Content(PageRuns runs, PageBuffer pages) {}

    static Content nothing() {
        return new Content(PageRuns.none(), PageBuffer.ofNothing());
    }

    /** Writes the pages of an instant relative to the root of its base. */
    static Part write(Path file, Instant instant) throws IOException {
        PageRuns inherited = instant.base().inherited();
        PageRuns all = PageRuns.union(instant.runs(), inherited);
        try (HashingFile out = HashingFile.create(file);
                FileChannel below = FileChannel.open(instant.base().memory(), StandardOpenOption.READ)) {
            out.write(header(all, instant.base().size().memoryBytes()));
            OwnPages own = new OwnPages(instant.pages());
            PageRuns.merge(instant.runs(), inherited, (start, end, isOwn) -> {
                if (isOwn) {
                    own.copy(end - start, out);
                } else {
                    out.copy(below, start, end);
                }
            });
            return out.finish();
        }
    }

    /** Takes the buffered pages one run after the other. */
    private static final class OwnPages {
        private static final long PIECE_BYTES = 64L << 20;

        private final PageBuffer pages;
        private long offset;

        OwnPages(PageBuffer pages) {
            this.pages = pages;
        }

        void copy(long bytes, HashingFile out) throws IOException {
            long left = bytes;
            while (left > 0) {
                int piece = (int) Math.min(left, PIECE_BYTES);
                out.write(pages.bytes(offset, piece));
                offset += piece;
                left -= piece;
            }
        }
    }

    private static ByteBuffer header(PageRuns runs, long memoryBytes) {
        long length = HEADER_BYTES + (long) RUN_BYTES * runs.count();
        long padded = Math.ceilDiv(length, PageRuns.PAGE_BYTES) * PageRuns.PAGE_BYTES;
        ByteBuffer header = ByteBuffer.allocate(Math.toIntExact(padded)).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(MAGIC).putLong(memoryBytes).putLong(runs.count()).putLong(padded);
        for (int run = 0; run < runs.count(); run++) {
            header.putLong(runs.start(run)).putLong(runs.end(run));
        }
        return header.rewind();
    }

    /** Reads and maps a file; it is checked as if its content were hostile. */
    static Content open(Path file, long memoryBytes) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer start = read(channel, 0, HEADER_BYTES, file);
            require(start.getLong() == MAGIC, file, "it is no memory of a machine");
            require(start.getLong() == memoryBytes, file, "it belongs to a machine of another size");
            long count = start.getLong();
            long pagesAt = start.getLong();
            require(count >= 0 && count <= memoryBytes / PageRuns.PAGE_BYTES, file, "it has too many runs");
            long tableEnd = HEADER_BYTES + RUN_BYTES * count;
            require(
                    pagesAt == Math.ceilDiv(tableEnd, PageRuns.PAGE_BYTES) * PageRuns.PAGE_BYTES,
                    file,
                    "its pages are misplaced");
            PageRuns runs = runs(
                    read(channel, HEADER_BYTES, Math.toIntExact(RUN_BYTES * count), file), count, memoryBytes, file);
            require(channel.size() == pagesAt + runs.bytes(), file, "its length is wrong");
            return new Content(runs, PageBuffer.ofFile(file, pagesAt, runs.bytes()));
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "cannot read " + file, e);
        }
    }

    private static PageRuns runs(ByteBuffer table, long count, long memoryBytes, Path file) {
        PageRuns.Builder runs = new PageRuns.Builder();
        long last = 0;
        for (long run = 0; run < count; run++) {
            long start = table.getLong();
            long end = table.getLong();
            require(start >= last && end > start && end <= memoryBytes, file, "its runs are out of order");
            require(start % PageRuns.PAGE_BYTES == 0 && end % PageRuns.PAGE_BYTES == 0, file, "a run cuts a page");
            runs.add(start, end);
            last = end;
        }
        return runs.build();
    }

    private static ByteBuffer read(FileChannel channel, long at, int bytes, Path file) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            require(channel.read(buffer, at + buffer.position()) > 0, file, "it is cut off");
        }
        return buffer.flip();
    }

    private static void require(boolean condition, Path file, String otherwise) {
        if (!condition) {
            throw new BoxdException(ErrorCode.WRONG_STATE, file.getFileName() + " is damaged: " + otherwise);
        }
    }
}
