package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import io.boxd.console.Asking;
import io.boxd.console.BrokenOutputException;
import io.boxd.console.Console;
import io.boxd.console.Proposals;
import io.boxd.console.TopScreen;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Manual;
import io.boxd.verbs.Request;
import io.boxd.verbs.Verbs;
import java.util.List;
import java.util.Map;

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
            case "trust install", "trust rm" -> new TrustCommand(servers, console).perform(request);
            case "cp" -> new CopyCommand(servers, console).copy(request);
            case "top" -> new TopScreen(servers::ask, console, action -> Signals.on("INT", action)).show(request);
            case "ssh-config" -> new SshConfigCommand(servers, console).perform(request);
            case "completion" -> completion(request);
            case "man" -> text(request, "page", Manual.page(Verbs.withDoors(), "boxd", Version.own(), Version.day()));
            case "version" -> version(request);
            case "login", "logout", "context list", "context use", "context rm" ->
                new ContextCommand(console).perform(request);
            case "up", "down", "serve", "doctor", "pass", "state backup", "state restore" ->
                throw new BoxdException(
                        ErrorCode.UNAVAILABLE,
                        "this boxd is the command alone, without the server",
                        "Run the boxd that came with the server.",
                        null);
            default -> ask(request);
        };
    }

    private int ask(Request request) throws BrokenOutputException {
        return new Asking(servers::ask, console).perform(request);
    }

    private int completion(Request request) throws BrokenOutputException {
        Shell shell = Shell.named(String.valueOf(request.text("shell")));
        if (request.values().get("word") instanceof List<?> line) {
            List<String> words = line.stream().map(String::valueOf).toList();
            Proposals proposals = KnownNames.proposals(console.environment());
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
