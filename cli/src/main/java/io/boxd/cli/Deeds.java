package io.boxd.cli;

import io.boxd.common.PlainJson;
import io.boxd.verbs.Answers;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Request;

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
}
