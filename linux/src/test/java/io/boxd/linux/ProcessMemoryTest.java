package io.boxd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Looks at a private mapping of this very process, where the truth is known. */
@Tag("unit")
class ProcessMemoryTest {
    private static final int PAGE = PageRuns.PAGE_BYTES;
    private static final int PAGES = 20_000;
    private static final int SELF = (int) ProcessHandle.current().pid();

    @TempDir
    Path folder;

    @Test
    void findsExactlyTheWrittenPages() throws IOException {
        Path file = sparse("memory");
        try (FileChannel channel = new RandomAccessFile(file.toFile(), "rw").getChannel()) {
            MappedByteBuffer mapped = channel.map(MapMode.PRIVATE, 0, (long) PAGES * PAGE);
            TreeSet<Integer> written = new TreeSet<>();
            Random random = new Random(7);
            for (int i = 0; i < 9000; i++) {
                int page = random.nextInt(PAGES);
                mapped.put(page * PAGE + random.nextInt(PAGE), (byte) 1);
                written.add(page);
            }
            for (int page = 0; page < PAGES; page += 3) {
                // Reading maps the file's own page, which must not count.
                assertThat(mapped.get(page * PAGE)).isGreaterThanOrEqualTo((byte) 0);
            }
            FileMapping mapping = FileMapping.find(SELF, file);
            assertThat(mapping.bytes()).isEqualTo((long) PAGES * PAGE);
            assertThat(pages(new ProcessMemory(SELF, mapping).ownPages())).containsExactlyElementsOf(written);
            assertThat(pages(Pagemap.readOwnPages(SELF, mapping))).containsExactlyElementsOf(written);
        }
    }

    @Test
    void copiesRunsOutAndBackIn() throws IOException {
        Path file = sparse("memory");
        try (FileChannel channel = new RandomAccessFile(file.toFile(), "rw").getChannel();
                PageBuffer buffer = PageBuffer.allocate((long) PAGES * PAGE)) {
            MappedByteBuffer source = channel.map(MapMode.PRIVATE, 0, (long) PAGES * PAGE);
            for (int page = 0; page < PAGES; page += 2) {
                source.putInt(page * PAGE + 16, page + 1);
            }
            ProcessMemory memory = new ProcessMemory(SELF, FileMapping.find(SELF, file));
            PageRuns runs = memory.ownPages();
            assertThat(runs.count()).isEqualTo(PAGES / 2);
            memory.read(runs, buffer);

            Path other = sparse("other");
            try (FileChannel otherChannel = new RandomAccessFile(other.toFile(), "rw").getChannel()) {
                MappedByteBuffer target = otherChannel.map(MapMode.PRIVATE, 0, (long) PAGES * PAGE);
                new ProcessMemory(SELF, FileMapping.find(SELF, other)).write(runs, buffer);
                assertThat(target.mismatch(source)).isEqualTo(-1);
            }
        }
    }

    @Test
    void saysWhenTheFileIsNotMapped() throws IOException {
        Path file = sparse("unmapped");
        assertThatThrownBy(() -> FileMapping.find(SELF, file))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("has not mapped");
    }

    @Test
    void runsThatTouchAreJoinedAndDisorderIsRefused() {
        PageRuns.Builder builder = new PageRuns.Builder();
        builder.add(0, 4096);
        builder.add(4096, 8192);
        builder.add(16384, 20480);
        PageRuns runs = builder.build();
        assertThat(runs.count()).isEqualTo(2);
        assertThat(runs.end(0)).isEqualTo(8192);
        assertThat(runs.bytes()).isEqualTo(12288);
        assertThatThrownBy(() -> builder.add(8192, 12288)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void digsHolesWhereThereAreOnlyZeros() throws IOException {
        Path file = sparse("full");
        try (RandomAccessFile raw = new RandomAccessFile(file.toFile(), "rw")) {
            raw.write(new byte[64 * PAGE]);
            raw.seek(10L * PAGE);
            raw.write(1);
            raw.seek(40L * PAGE + 4095);
            raw.write(1);
        }
        assertThat(SparseFile.digHoles(file)).isEqualTo(2L * PAGE);
        assertThat(SparseFile.dataOf(file))
                .containsExactly(
                        new SparseFile.Extent(10L * PAGE, 11L * PAGE), new SparseFile.Extent(40L * PAGE, 41L * PAGE));
    }

    private Path sparse(String name) throws IOException {
        Path file = folder.resolve(name);
        try (RandomAccessFile raw = new RandomAccessFile(file.toFile(), "rw")) {
            raw.setLength((long) PAGES * PAGE);
        }
        return file;
    }

    private static List<Integer> pages(PageRuns runs) {
        List<Integer> pages = new ArrayList<>();
        for (int run = 0; run < runs.count(); run++) {
            for (long at = runs.start(run); at < runs.end(run); at += PAGE) {
                pages.add((int) (at / PAGE));
            }
        }
        return pages;
    }
}
