package io.boxd.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What the README promises, typed as it stands there. */
@Tag("machine")
@ParameterizedClass
@MethodSource("io.boxd.trials.Place#bothIfThereIsTime")
class TourTest {
    private static final Pattern BLOCK = Pattern.compile("## Two minutes\\s+```\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern COMMENT = Pattern.compile("  +#.*");

    @Parameter
    @SuppressWarnings("NullAway.Init")
    private Place place;

    private Instance instance;
    private Seat seat;

    @BeforeEach
    void up() throws IOException {
        instance = Instance.usual(place.settings());
        assertThat(instance.must("./boxd up")).contains("boxd new");
        seat = place.at(instance);
    }

    @AfterEach
    void close() throws IOException {
        Place.leave(seat);
        instance.close();
    }

    private static List<String> tour() throws IOException {
        Matcher block = BLOCK.matcher(Files.readString(Instance.REPOSITORY.resolve("README.md")));
        assertThat(block.find()).as("the README has a tour").isTrue();
        List<String> lines = new ArrayList<>();
        block.group(1)
                .lines()
                .map(line -> COMMENT.matcher(line).replaceFirst(""))
                .forEach(lines::add);
        return lines;
    }

    @Test
    void theReadmesTourIsTrue() throws IOException {
        Map<String, List<String>> printed = new HashMap<>();
        for (String line : tour()) {
            // The shell that it opens needs a terminal, and somebody who leaves it.
            String typed = line.contains(" connect ") ? "echo exit | script -qec '" + line + "' /dev/null" : line;
            printed.computeIfAbsent(line, _ -> new ArrayList<>()).add(seat.must(typed));
        }
        assertThat(printed.get(
                        "./boxd exec task-1-attempt-2 'curl -s --retry 9 --retry-connrefused localhost:8000/note'"))
                .containsExactly("hello\n");
        assertThat(printed.get("./boxd exec task-1 'cat note'")).containsExactly("hello\n", "hello\n");
        assertThat(Files.readString(seat.folder().resolve("note"))).isEqualTo("hello\n");
        assertThat(seat.must("./boxd list --all --json").strip()).isEqualTo("[]");
    }

    @Test
    void anAgentsLoop() {
        assertThat(seat.json("./boxd new --name=task-1 --json").path("status").asString())
                .isEqualTo("running");
        assertThat(seat.must("RESULT=$(./boxd exec task-1 --json 'echo out; echo err >&2'); "
                        + "printf '%s' \"$RESULT\" | jq -r .output"))
                .contains("out\n", "err\n");
        seat.must("./boxd fork task-1 --name=task-1-attempt-2");
        seat.must("for i in 1 2 3; do ./boxd new --name=p-$i & done; wait");
        for (String name : List.of("task-1", "task-1-attempt-2", "p-1", "p-2", "p-3")) {
            assertThat(seat.must("./boxd exec " + name + " hostname")).isEqualTo(name + "\n");
        }
    }
}
