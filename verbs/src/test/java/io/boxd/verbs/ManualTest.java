package io.boxd.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The manual page, read by a program that knows the language of manual pages. */
@Tag("unit")
final class ManualTest {
    private static final String PAGE = Manual.page(Verbs.withDoors(), "boxd", "1.0", "2026-01-31");

    @Test
    void theProgramForManualsFindsNothingToComplainOf(@TempDir Path folder) throws Exception {
        assertThat(mandoc(folder, PAGE, "-Tlint", "-Wstyle")).isEmpty();
        assertThat(mandoc(folder, PAGE + ".nonsense\n", "-Tlint", "-Wstyle")).contains("nonsense");
    }

    @Test
    void everyVerbAndOptionIsThereAsItIsTyped(@TempDir Path folder) throws Exception {
        String read = mandoc(folder, PAGE, "-Tutf8").replaceAll(".\b", "").replaceAll("\\s+", " ");
        for (Verb verb : Verbs.withDoors()) {
            assertThat(read).contains("boxd " + Help.usage(verb));
            verb.examples().forEach(example -> assertThat(read).contains("boxd " + example));
            verb.options().forEach(option -> assertThat(read).contains("--" + option.name()));
        }
        assertThat(read).contains("BOXD_URL", "EXIT STATUS");
    }

    private static String mandoc(Path folder, String page, String... words) throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("boxd.1"), page);
        String[] line = new String[words.length + 2];
        line[0] = "mandoc";
        System.arraycopy(words, 0, line, 1, words.length);
        line[line.length - 1] = file.toString();
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return said;
    }
}
