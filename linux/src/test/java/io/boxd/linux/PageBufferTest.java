package io.boxd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class PageBufferTest {
    @Test
    void isZeroedAndWritableToTheEnd() {
        long bytes = 5L * PageRuns.PAGE_BYTES;
        try (PageBuffer buffer = PageBuffer.allocate(bytes)) {
            assertThat(buffer.size()).isEqualTo(bytes);
            assertThat(buffer.memory().address() % PageRuns.PAGE_BYTES).isZero();
            assertThat(buffer.memory().get(ValueLayout.JAVA_BYTE, bytes - 1)).isZero();
            buffer.memory().fill((byte) 7);
            assertThat(buffer.memory().get(ValueLayout.JAVA_BYTE, bytes - 1)).isEqualTo((byte) 7);
        }
    }

    /** Copying into memory that is not there yet runs at a twentieth of the speed. */
    @Test
    void itsPagesAreThereFromTheStart() throws IOException {
        long bytes = 64L << 20;
        try (PageBuffer buffer = PageBuffer.allocate(bytes)) {
            assertThat(resident(buffer.memory().address())).isGreaterThanOrEqualTo(bytes);
        }
    }

    @Test
    void isGoneOnceClosed() {
        PageBuffer buffer = PageBuffer.allocate(4096);
        buffer.close();
        buffer.close();
        assertThatThrownBy(buffer::memory)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("page buffer is closed");
    }

    @Test
    void moreThanThereCanBeIsRefused() {
        for (long bytes : new long[] {1L << 60, Long.MAX_VALUE, 0, -1}) {
            assertThatThrownBy(() -> PageBuffer.allocate(bytes))
                    .isInstanceOfSatisfying(
                            BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED));
        }
    }

    /** Resident bytes of the mapping that holds this address. */
    private static long resident(long address) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"));
        Iterator<String> each = lines.iterator();
        boolean inside = false;
        while (each.hasNext()) {
            String line = each.next();
            if (line.matches("^[0-9a-f]+-[0-9a-f]+ .*")) {
                String[] range = line.substring(0, line.indexOf(' ')).split("-", -1);
                inside = Long.parseUnsignedLong(range[0], 16) <= address
                        && address < Long.parseUnsignedLong(range[1], 16);
            } else if (inside && line.startsWith("Rss:")) {
                return Long.parseLong(line.replaceAll("\\D+", "")) * 1024;
            }
        }
        throw new AssertionError("not mapped");
    }
}
