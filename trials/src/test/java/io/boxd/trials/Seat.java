package io.boxd.trials;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.linux.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** A shell in a folder where {@code ./boxd} is, with variables of its own: what somebody types there. */
class Seat {
    static final boolean LONG = Boolean.getBoolean("boxd.test.long");

    private static final int PATIENCE_SECONDS = LONG ? 1800 : 240;

    private final Path folder;
    private final List<String> shell;
    private final Map<String, String> environment = new HashMap<>();

    /** @param user the words before the shell, that make it somebody else's; none for root's */
    Seat(Path folder, List<String> user, Map<String, String> variables) {
        this.folder = folder;
        this.shell = Stream.concat(user.stream(), Stream.of("sh", "-c")).toList();
        environment.putAll(variables);
    }

    Path folder() {
        return folder;
    }

    /** Types a line. */
    Command.Result type(String line) {
        Command command = Command.of(words(line)).withDirectory(folder);
        for (Map.Entry<String, String> each : environment.entrySet()) {
            command = command.withEnvironment(each.getKey(), each.getValue());
        }
        return command.run(Deadline.inSeconds(PATIENCE_SECONDS));
    }

    private List<String> words(String line) {
        List<String> words = new ArrayList<>(shell);
        words.add(line);
        return words;
    }

    /** Types a line that must succeed; what it printed. */
    String must(String line) {
        Command.Result result = type(line);
        assertThat(result.status())
                .as("%s\n%s%s", line, result.output(), result.errors())
                .isZero();
        return result.output();
    }

    /** The JSON that a line prints, which must succeed. */
    JsonNode json(String line) {
        return Json.parse(must(line));
    }

    /** Types a line that must fail with this status and say this. */
    void refuses(String line, int status, String message) {
        Command.Result result = type(line);
        assertThat(result.errors()).as(line).contains(message);
        assertThat(result.status()).as(line).isEqualTo(status);
        assertThat(result.output()).as(line).isEmpty();
    }

    /** A program that goes on beside the test. */
    Process begin(String line) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(words("exec " + line)).directory(folder.toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** All boxes that are there for whoever sits here. */
    void destroyAll() {
        List<String> names = new ArrayList<>();
        json("./boxd list --all --json")
                .forEach(box -> names.add(box.path("name").asString()));
        if (!names.isEmpty()) {
            must("./boxd destroy " + String.join(" ", names));
        }
    }
}
