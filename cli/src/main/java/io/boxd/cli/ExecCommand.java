package io.boxd.cli;

import io.boxd.common.PlainJson;
import io.boxd.common.SignalNames;
import io.boxd.console.BrokenOutputException;
import io.boxd.console.Collected;
import io.boxd.console.Console;
import io.boxd.console.Waiting;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Fields;
import io.boxd.verbs.Request;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** {@code exec}, {@code connect} and {@code attach}: a command in a box, with this process as its face. */
final class ExecCommand {
    /** After so many presses of Ctrl-C someone wants out, whatever the command makes of it. */
    private static final int PRESSES_TO_LEAVE = 3;

    private static final int LEFT = 130;
    private static final int BROKEN_PIPE = 141;

    private final Servers servers;
    private final Console console;
    private final Terminal terminal = new Terminal();

    ExecCommand(Servers servers, Console console) {
        this.servers = servers;
        this.console = console;
    }

    int exec(Request request) throws BrokenOutputException {
        if (request.flag("detach")) {
            return detached(request);
        }
        boolean tty = request.flag("tty");
        Map<String, @Nullable Object> start = new LinkedHashMap<>(request.fields());
        start.put("stdin", true);
        start.put("interactive", tty);
        String box = box(request);
        Session.Opening opening = new Session.Opening(request.target(), start);
        return request.json() ? collected(box, opening) : streamed(box, tty ? sized(opening) : opening, tty, true);
    }

    /** A login shell. */
    int connect(Request request) throws BrokenOutputException {
        Map<String, @Nullable Object> start = new LinkedHashMap<>(request.fields());
        start.remove("box");
        start.putAll(Map.of("tty", true, "stdin", true, "interactive", true));
        String box = box(request);
        String target = "/v1/boxes/" + Request.encode(box) + "/exec";
        return streamed(box, sized(new Session.Opening(target, start)), true, true);
    }

    int attach(Request request) throws BrokenOutputException {
        String execution = String.valueOf(request.text("exec_id"));
        return streamed(box(request), Session.Opening.attach(box(request), execution, 0), true, false);
    }

    private static String box(Request request) {
        return String.valueOf(request.text("box"));
    }

    private int detached(Request request) throws BrokenOutputException {
        String answer;
        try (Waiting _ = Waiting.on(console, "waiting for " + box(request))) {
            answer = servers.post(request.target(), request.body());
        }
        String id = Fields.of(PlainJson.parse(answer)).text("exec_id", "");
        console.print(request.json() ? answer.strip() + "\n" : id + "\n");
        return Exits.DONE;
    }

    private Session.Opening sized(Session.Opening opening) {
        WindowSize size = console.isInputTerminal() ? Terminal.size() : WindowSize.USUAL;
        return opening.with(Map.of("rows", size.rows(), "columns", size.columns()));
    }

    private int collected(String box, Session.Opening opening) throws BrokenOutputException {
        Collected collected = new Collected();
        InputWindow window = new InputWindow();
        Session session = new Session(
                servers,
                (started, offset) -> Session.Opening.attach(box, String.valueOf(started.execution()), offset),
                new Collecting(collected),
                window,
                false,
                console::tell);
        interrupts(session);
        new InputPump(console.input(), window, true, null, session::leave).start();
        Optional<Fields> end;
        try (Waiting _ = Waiting.on(console, "exec " + box)) {
            end = session.run(opening);
        }
        if (end.isEmpty()) {
            return LEFT;
        }
        console.print(PlainJson.write(collected.json(end.get())) + "\n");
        return status(end.get());
    }

    /** @param own whether the command was started here, and so its input is ours to end */
    private int streamed(String box, Session.Opening opening, boolean mayBeTerminal, boolean own)
            throws BrokenOutputException {
        InputWindow window = new InputWindow();
        boolean raw = mayBeTerminal && console.isInputTerminal();
        Waiting waiting = Waiting.on(console, "waiting for " + box);
        Streamed streamed = new Streamed(raw, waiting);
        Session session = new Session(
                servers,
                (started, offset) -> Session.Opening.attach(box, String.valueOf(started.execution()), offset),
                streamed,
                window,
                console.isInputTerminal(),
                console::tell);
        streamed.session = session;
        interrupts(session);
        if (raw) {
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(terminal::restore));
        }
        new InputPump(
                        console.input(),
                        window,
                        own || console.isInputTerminal(),
                        raw ? new Escape() : null,
                        session::leave)
                .start();
        Optional<Fields> end;
        try {
            end = session.run(opening);
        } catch (BrokenOutputException e) {
            return BROKEN_PIPE;
        } finally {
            waiting.close();
            window.close();
            terminal.restore();
        }
        if (end.isEmpty()) {
            if (raw) {
                console.tellRaw("\r\n");
            }
            console.tell("left; it runs on: boxd attach " + box + " " + streamed.execution);
            return raw ? Exits.DONE : LEFT;
        }
        return status(end.get());
    }

    private void interrupts(Session session) {
        AtomicInteger presses = new AtomicInteger();
        Signals.on("INT", () -> {
            if (presses.incrementAndGet() >= PRESSES_TO_LEAVE) {
                session.leave();
            } else {
                session.signal("INT");
            }
        });
    }

    /** The status that this process ends with for a command that ended so. */
    static int status(Fields end) {
        if (end.flag("timed_out")) {
            return Exits.TIMED_OUT;
        }
        String signal = end.text("signal");
        return signal == null
                ? (int) end.number("exit_code", 0) & 0xFF
                : Exits.SIGNALLED + SignalNames.number(signal).orElse(0);
    }

    /** Writes each byte where it belongs as it comes. */
    private final class Streamed implements Session.Listener {
        private final boolean raw;
        /** Until the command runs: the box may have to wake first. */
        private final Waiting waiting;

        private @Nullable Session session;
        private String execution = "";

        Streamed(boolean raw, Waiting waiting) {
            this.raw = raw;
            this.waiting = waiting;
        }

        @Override
        public void started(StreamMessage.Started started) {
            waiting.close();
            execution = String.valueOf(started.execution());
            Session current = session;
            if (raw && started.terminal() && current != null) {
                terminal.makeRaw();
                current.resize(Terminal.size());
                Signals.on("WINCH", () -> current.resize(Terminal.size()));
            }
        }

        @Override
        public void output(int channel, ByteBuffer bytes) throws BrokenOutputException {
            console.write(channel == StreamMessage.STDERR, bytes);
        }

        @Override
        public void skipped(long bytes) {
            console.tell(bytes + " bytes of older output are not kept any more");
        }
    }
}
