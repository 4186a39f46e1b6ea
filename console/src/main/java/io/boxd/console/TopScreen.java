package io.boxd.console;

import io.boxd.common.PlainJson;
import io.boxd.verbs.Answers;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Request;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** {@code top}: once, or on a terminal again and again until Ctrl-C. */
public final class TopScreen {
    private static final int SECONDS = 2;
    private static final String HOME = "\u001b[H";
    private static final String CLEAR_LINE = "\u001b[K";
    private static final String CLEAR_BELOW = "\u001b[J";
    private static final String OTHER_SCREEN = "\u001b[?1049h\u001b[?25l";
    private static final String FIRST_SCREEN = "\u001b[?25h\u001b[?1049l";

    private final Answering server;
    private final Console console;
    private final Interrupts interrupts;

    /** @param interrupts which end it */
    public TopScreen(Answering server, Console console, Interrupts interrupts) {
        this.server = server;
        this.interrupts = interrupts;
        this.console = console;
    }

    /** Gives the status to end with. */
    public int show(Request request) throws BrokenOutputException {
        if (request.json() || !console.isOutputTerminal()) {
            String answer = server.answer(request);
            console.print(request.json() ? answer.strip() + "\n" : text(request, answer));
            return Exits.DONE;
        }
        CountDownLatch over = new CountDownLatch(1);
        interrupts.on(over::countDown);
        console.print(OTHER_SCREEN);
        try {
            do {
                String text = text(request, server.answer(request));
                console.print(HOME + text.replace("\n", CLEAR_LINE + "\n") + CLEAR_BELOW);
            } while (!over.await(SECONDS, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            console.print(FIRST_SCREEN);
        }
        return Exits.DONE;
    }

    private String text(Request request, String answer) {
        return Answers.text(request.verb(), PlainJson.parse(answer), console.look());
    }
}
