package io.boxd.cli;

import io.boxd.console.Console;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** What came of a command line that was run in this process. */
record Ran(int status, String output, String errors) {
    static final String NO_BOXES = "No boxes. Make one: new --name=task-1\n";

    static Ran line(Map<String, String> environment, String... words) {
        return withInput(environment, new ByteArrayInputStream(new byte[0]), words);
    }

    static Ran withInput(Map<String, String> environment, InputStream input, String... words) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        Console console = new Console(environment, input, output, errors, () -> 80, false, false, false);
        int status = new Main(console).run(List.of(words));
        return new Ran(status, output.toString(StandardCharsets.UTF_8), errors.toString(StandardCharsets.UTF_8));
    }
}
