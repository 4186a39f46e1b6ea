package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import io.boxd.verbs.Answers;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Request;
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
            case "cp" -> new CopyCommand(servers, console).copy(request);
            case "top" -> new TopCommand(servers, console).show(request);
            case "completion" -> completion(request);
            case "version" -> version(request);
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
        String answer = servers.ask(request);
        console.print(
                request.json()
                        ? answer.strip() + "\n"
                        : Answers.text(request.verb(), PlainJson.parse(answer), console.look()));
        return Exits.DONE;
    }

    private int completion(Request request) throws BrokenOutputException {
        console.print(Completion.script(String.valueOf(request.text("shell"))));
        return Exits.DONE;
    }

    private int version(Request request) throws BrokenOutputException {
        String version = Version.own();
        console.print(request.json() ? PlainJson.write(Map.of("version", version)) + "\n" : "boxd " + version + "\n");
        return Exits.DONE;
    }
}
