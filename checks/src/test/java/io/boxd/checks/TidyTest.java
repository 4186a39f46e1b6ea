package io.boxd.checks;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.checks.Tidy.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether the sources are tidy, and whether untidiness would be noticed. */
@Tag("unit")
final class TidyTest {
    /** Fewer files than this means that the walk looked in the wrong place. */
    private static final Map<Kind, Integer> FEWEST_FILES =
            Map.of(Kind.JAVA, 150, Kind.RUST, 40, Kind.SHELL, 2, Kind.TEXT, 10);

    @Test
    void sourcesAreTidy() throws IOException {
        Path root = root();
        Map<Kind, Integer> seen = new EnumMap<>(Kind.class);
        List<String> problems = new ArrayList<>();
        for (Path file : Tidy.files(root)) {
            Kind kind = Tidy.kindOf(file);
            seen.merge(kind, 1, Integer::sum);
            if (kind != Kind.OTHER) {
                String text = Files.readString(file);
                problems.addAll(Tidy.problems(root.relativize(file).toString(), kind, text));
                if (file.toString().endsWith(".md")) {
                    problems.addAll(Tidy.brokenLinks(file, text));
                }
            }
        }
        assertThat(problems).isEmpty();
        FEWEST_FILES.forEach((kind, fewest) ->
                assertThat(seen.getOrDefault(kind, 0)).as("files in %s", kind).isGreaterThanOrEqualTo(fewest));
    }

    /** The words are given in two halves, so that this file stays tidy itself. */
    @ParameterizedTest
    @CsvSource({
        "JAVA, vmm/src/A.java, System., out.println(1);",
        "JAVA, vmm/src/A.java, System, .err.println(1);",
        "JAVA, vmm/src/A.java, Thread., sleep(10);",
        "JAVA, vmm/src/A.java, new, ' Thread(task);'",
        "JAVA, vmm/src/A.java, @Dis, abled",
        "JAVA, vmm/src/A.java, // TO, DO later",
        "RUST, agent/src/main.rs, // FIX, ME",
        "RUST, agent/src/main.rs, '#[ign', 'ore]'",
        "SHELL, dev, '# X', 'XX: what?'",
        "TEXT, README.md, see crates, .io",
        "TEXT, pom.xml, https://repo1.mav, en.org/x",
    })
    void untidinessIsNoticed(Kind kind, String name, String half, String otherHalf) {
        String line = half + otherHalf;
        assertThat(Tidy.problems(name, kind, "first\n" + line + "\n"))
                .singleElement()
                .asString()
                .startsWith(name + ":2: ");
        assertThat(Tidy.problems(name, kind, half + "\n" + otherHalf)).isEmpty();
    }

    @Test
    void sizesAreNoticed() {
        assertThat(Tidy.problems("A.java", Kind.JAVA, "x\n".repeat(Tidy.MOST_LINES)))
                .isEmpty();
        assertThat(Tidy.problems("A.java", Kind.JAVA, "x\n".repeat(Tidy.MOST_LINES + 1)))
                .hasSize(1);
        assertThat(Tidy.problems("a.rs", Kind.RUST, "é".repeat(Tidy.LONGEST_LINE)))
                .isEmpty();
        assertThat(Tidy.problems("a.rs", Kind.RUST, "é".repeat(Tidy.LONGEST_LINE + 1)))
                .hasSize(1);
        assertThat(Tidy.problems("a.md", Kind.TEXT, "x".repeat(1000))).isEmpty();
    }

    @Test
    void testsThatWouldNeverRunAreNoticed() {
        assertThat(Tidy.problems("ATest.java", Kind.JAVA, "class ATest {\n    @Test\n"))
                .hasSize(1);
        assertThat(Tidy.problems("ATest.java", Kind.JAVA, "@Tag(\"other\")\n    @Test\n"))
                .hasSize(1);
        assertThat(Tidy.problems("ATest.java", Kind.JAVA, "@Tag(\"jail\")\n    @Test\n"))
                .isEmpty();
    }

    @Test
    void theBenchmarkMayPrint() {
        String line = "System." + "out.println(1);";
        assertThat(Tidy.problems("bench/src/main/java/A.java", Kind.JAVA, line)).isEmpty();
        assertThat(Tidy.problems("bench/src/test/java/A.java", Kind.JAVA, line)).hasSize(1);
    }

    @Test
    void kindsAndLinksAreRecognised(@TempDir Path folder) throws IOException {
        assertThat(kind(folder, "run", "#!/usr/bin/env bash\n")).isEqualTo(Kind.SHELL);
        assertThat(kind(folder, "dev", "#!/bin/sh\n")).isEqualTo(Kind.SHELL);
        assertThat(kind(folder, "tool", "#!/usr/bin/env python3\n")).isEqualTo(Kind.OTHER);
        assertThat(kind(folder, "main.rs", "fn main() {}\n")).isEqualTo(Kind.RUST);
        Path page = folder.resolve("page.md");
        assertThat(Tidy.brokenLinks(page, "[a](dev) [b](main.rs#x) [c](https://example.org)"))
                .isEmpty();
        assertThat(Tidy.brokenLinks(page, "[a](gone.md)")).hasSize(1);
    }

    private static Kind kind(Path folder, String name, String text) throws IOException {
        return Tidy.kindOf(Files.writeString(folder.resolve(name), text));
    }

    /** The folder that holds the whole tree, found upwards from where the test runs. */
    private static Path root() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.isDirectory(folder.resolve(".mvn"))) {
                return folder;
            }
        }
        throw new AssertionError("no folder with .mvn above the working directory");
    }
}
