package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("unit")
class LineReaderTest {
    @Test
    void splitsWhateverThePieces() throws IOException {
        List<String> lines = List.of("", "a", "zwölf", "", "x".repeat(20_000), "€");
        byte[] text = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
        for (int piece : new int[] {1, 2, 7, 4096, 1 << 20}) {
            assertThat(readAll(new LineReader(new TestingChannel(text, piece), 1 << 20)))
                    .containsExactlyElementsOf(lines);
        }
    }

    @Test
    void anUnfinishedLastLineIsNone() throws IOException {
        byte[] text = "whole\npart".getBytes(StandardCharsets.UTF_8);
        assertThat(readAll(new LineReader(new TestingChannel(text, 3), 100))).containsExactly("whole");
    }

    /** Also below the size of the first buffer, where the limit used to be no limit. */
    @Test
    void theLimitHoldsAtEverySize() throws IOException {
        for (int limit : new int[] {1, 2, 10, 8191, 8192, 8193, 50_000}) {
            byte[] fits = ("x".repeat(limit - 1) + "\n").getBytes(StandardCharsets.UTF_8);
            assertThat(readAll(new LineReader(new TestingChannel(fits, 1 << 20), limit)))
                    .hasSize(1);
            byte[] tooLong = ("x".repeat(limit) + "\n").getBytes(StandardCharsets.UTF_8);
            assertThatThrownBy(() -> readAll(new LineReader(new TestingChannel(tooLong, 1 << 20), limit)))
                    .isInstanceOf(IOException.class)
                    .hasMessage("a line is longer than " + limit + " bytes");
        }
    }

    /** Moving the rest forward after each line made such a flood cost hours. */
    @Test
    @Timeout(20)
    void aFloodOfShortLinesAfterALongOneIsQuick() throws IOException {
        byte[] text = new byte[8 << 20];
        new Random(1).nextBytes(text);
        for (int i = 0; i < text.length; i++) {
            text[i] = i < (4 << 20) - 2 || i % 2 == 0 ? (byte) 'x' : (byte) '\n';
        }
        assertThat(readAll(new LineReader(new TestingChannel(text, 4 << 20), 4 << 20)))
                .hasSizeGreaterThan(2 << 20);
    }

    private static List<String> readAll(LineReader reader) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = reader.next(); line != null; line = reader.next()) {
            lines.add(line);
        }
        return lines;
    }
}
