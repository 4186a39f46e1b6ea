package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import io.boxd.verbs.Answers;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Fields;
import io.boxd.verbs.Manual;
import io.boxd.verbs.Request;
import io.boxd.verbs.Verbs;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What each verb does at this door: most are asked of the server, some need a hand here. */
final class Deeds {
    private final Servers servers;
    private final Console console;

    Deeds(Servers servers, Console console) {
        this.servers = servers;
        this.console = console;
    }

    /** Gives the status to end with. */
    int perform(Request request) throws BrokenOutputException {
        return switch (request.verb().name()) {
            case "exec" -> new ExecCommand(servers, console).exec(request);
            case "connect" -> new ExecCommand(servers, console).connect(request);
            case "attach" -> new ExecCommand(servers, console).attach(request);
            case "logs" -> new LogsCommand(servers, console).show(request);
            case "events", "audit" ->
                request.flag("follow") ? new FollowCommand(servers, console).follow(request) : ask(request);
            case "audit verify" -> verify(request);
            case "trust install", "trust rm" -> new TrustCommand(servers, console).perform(request);
            case "cp" -> new CopyCommand(servers, console).copy(request);
            case "top" -> new TopCommand(servers, console).show(request);
            case "completion" -> completion(request);
            case "man" -> text(request, "page", Manual.page(Verbs.withDoors(), "boxd", Version.own(), Version.day()));
            case "version" -> version(request);
            case "login", "logout", "context list", "context use", "context rm" ->
                new ContextCommand(console).perform(request);
            case "up", "down", "serve", "doctor", "state backup", "state restore" ->
                throw new BoxdException(
                        ErrorCode.UNAVAILABLE,
                        "this boxd is the command alone, without the server",
                        "Run the boxd that came with the server.",
                        null);
            default -> ask(request);
        };
    }

    private int ask(Request request) throws BrokenOutputException {
        show(request, answer(request));
        return Exits.DONE;
    }

    private String answer(Request request) {
        try (Waiting _ = Waiting.on(console, what(request))) {
            return servers.ask(request);
        }
    }

    private void show(Request request, String answer) throws BrokenOutputException {
        console.print(
                request.json()
                        ? answer.strip() + "\n"
                        : Answers.text(request.verb(), PlainJson.parse(answer), console.look()));
    }

    /** Scripts must notice. */
    private int verify(Request request) throws BrokenOutputException {
        String answer = answer(request);
        show(request, answer);
        return Fields.of(PlainJson.parse(answer)).flag("whole") ? Exits.DONE : Exits.FAILED;
    }

    /** The verb and what it is done to. */
    private static String what(Request request) {
        String first = request.verb().words().stream()
                .map(word -> request.text(word.field()))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse("");
        return (request.verb().name() + " " + first).strip();
    }

    private int completion(Request request) throws BrokenOutputException {
        Shell shell = Shell.named(String.valueOf(request.text("shell")));
        if (request.values().get("word") instanceof List<?> line) {
            List<String> words = line.stream().map(String::valueOf).toList();
            Proposals proposals = new Proposals(console.environment(), Proposals.USUAL_PATIENCE);
            return text(request, "lines", Completion.lines(shell, proposals.next(words)));
        }
        return text(request, "script", Completion.script(shell));
    }

    private int text(Request request, String field, String text) throws BrokenOutputException {
        console.print(request.json() ? PlainJson.write(Map.of(field, text)) + "\n" : text);
        return Exits.DONE;
    }

    private int version(Request request) throws BrokenOutputException {
        String version = Version.own();
        console.print(request.json() ? PlainJson.write(Map.of("version", version)) + "\n" : "boxd " + version + "\n");
        return Exits.DONE;
    }
}
