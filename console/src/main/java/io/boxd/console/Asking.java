package io.boxd.console;

import io.boxd.common.PlainJson;
import io.boxd.verbs.Answers;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Fields;
import io.boxd.verbs.Request;
import java.util.Objects;

/** Verbs that are only asked of a server: says them and shows the answer. */
public final class Asking {
    private final Answering server;
    private final Console console;

    public Asking(Answering server, Console console) {
        this.server = server;
        this.console = console;
    }

    /** Gives the status to end with. */
    public int perform(Request request) throws BrokenOutputException {
        String answer = answer(request);
        show(request, answer);
        return isSo(request, answer) ? Exits.DONE : Exits.FAILED;
    }

    private String answer(Request request) {
        try (Waiting _ = Waiting.on(console, what(request))) {
            return server.answer(request);
        }
    }

    private void show(Request request, String answer) throws BrokenOutputException {
        console.print(
                request.json()
                        ? answer.strip() + "\n"
                        : Answers.text(request.verb(), PlainJson.parse(answer), console.look()));
    }

    /** Scripts must notice when an audit is not whole. */
    private static boolean isSo(Request request, String answer) {
        return !request.verb().name().equals("audit verify")
                || Fields.of(PlainJson.parse(answer)).flag("whole");
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
}
