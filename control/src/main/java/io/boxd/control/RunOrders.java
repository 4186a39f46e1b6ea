package io.boxd.control;

import io.boxd.guest.ExecRequest;
import io.boxd.verbs.ParameterType;
import io.boxd.worker.Box;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What was said with {@code exec}, as a command for the machine. */
final class RunOrders {
    /** What doors may say besides the table's parameters. */
    static final Map<String, ParameterType> FIELDS = Map.of(
            "argv", ParameterType.WORDS,
            "script", ParameterType.TEXT,
            "rows", ParameterType.COUNT,
            "columns", ParameterType.COUNT,
            "interactive", ParameterType.FLAG);

    /** Instead of a command: the box's own server of files. */
    static final String FILES = "files";

    /** What has no meaning for a program whose bytes pass through. */
    private static final List<String> NEVER_PASSING =
            List.of("tty", "detach", "checkpoint", "timeout_s", "interactive");

    private static final int ROWS = 24;
    private static final int COLUMNS = 80;

    private final Settings settings;

    RunOrders(Settings settings) {
        this.settings = settings;
    }

    RunOrder of(Box box, Parameters said, boolean input) {
        boolean terminal = said.flag("tty");
        ExecRequest request = placed(command(said, terminal), box, said).withStdin(input);
        if (terminal) {
            request = request.withPty(
                    said.count("rows", Limits.TERMINAL_CELLS).orElse(ROWS),
                    said.count("columns", Limits.TERMINAL_CELLS).orElse(COLUMNS));
        }
        return new RunOrder(
                request,
                String.join(" ", request.arguments()),
                terminal || said.flag("interactive"),
                said.flag("checkpoint"),
                said.seconds("timeout_s"));
    }

    /** A program whose bytes pass through; one that serves files is quiet while nobody asks for any. */
    RunOrder passing(Box box, Parameters said) {
        NEVER_PASSING.stream().filter(said::has).findFirst().ifPresent(field -> {
            throw Failures.invalid("a program whose bytes pass through has no '" + field + "'");
        });
        boolean files = said.flag(FILES);
        if (files && (said.has("argv") || said.has("script") || said.has("command"))) {
            throw Failures.invalid("either a command runs or files are served, not both");
        }
        ExecRequest request = placed(files ? ExecRequest.files() : command(said, false), box, said);
        return new RunOrder(
                request.withStdin(true), String.join(" ", request.arguments()), files, false, Optional.empty());
    }

    private ExecRequest placed(ExecRequest command, Box box, Parameters said) {
        return command.withEnvironment(box.environment())
                .withEnvironment(Labels.environment(said.texts("env")))
                .withUser(said.text("user").orElse(settings.user()))
                .withCwd(said.text("cwd").map(this::folder).orElse(said.has("user") ? "" : settings.home()));
    }

    private String folder(String said) {
        return LocalFiles.resolve(settings, said).toString();
    }

    private static ExecRequest command(Parameters said, boolean terminal) {
        said.notBoth("argv", "script");
        said.notBoth("argv", "command");
        said.notBoth("script", "command");
        List<String> words = said.has("argv") ? said.words("argv") : said.words("command");
        Optional<String> script = said.text("script");
        if (script.isPresent()) {
            return ExecRequest.shell(script.get());
        }
        if (words.size() == 1 && !said.has("argv")) {
            return ExecRequest.shell(words.getFirst());
        }
        if (!words.isEmpty()) {
            return ExecRequest.argv(words);
        }
        if (!terminal) {
            throw said.missing("argv", "Say a command, or ask for a terminal (tty) to get a shell.");
        }
        return ExecRequest.login();
    }
}
