package io.boxd.ssh;

import io.boxd.common.Json;
import io.boxd.common.PlainJson;
import io.boxd.console.Collected;
import io.boxd.console.Console;
import io.boxd.console.Waiting;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.control.ExecutionStream;
import io.boxd.control.Happening;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Fields;
import io.boxd.verbs.Request;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/** {@code exec}, {@code connect} and {@code attach}: a command in a box, with a client's session as its face. */
final class CommandDeed {
    /** After so many presses of Ctrl-C someone wants out, whatever the command makes of it. */
    private static final int PRESSES_TO_LEAVE = 3;

    private static final int LEFT = 130;

    private final Control control;
    private final Caller caller;
    private final Seat seat;
    private final Console console;
    private final Stop stop;

    CommandDeed(Control control, Caller caller, Seat seat, Console console, Stop stop) {
        this.control = control;
        this.caller = caller;
        this.seat = seat;
        this.console = console;
        this.stop = stop;
    }

    int exec(Request request) throws IOException {
        ObjectNode said = Shown.said(request);
        if (request.flag("detach")) {
            return detached(request, said);
        }
        said.put("stdin", true).put("interactive", request.flag("tty"));
        if (request.flag("tty")) {
            onTerminal(said);
        }
        ExecutionStream stream = opened(request, () -> control.exec(caller, said));
        return request.json() ? collected(stream) : joined(stream, true);
    }

    /** A login shell. */
    int connect(Request request) throws IOException {
        ObjectNode said = Shown.said(request).put("box", request.text("box"));
        said.put("tty", true).put("stdin", true).put("interactive", true);
        onTerminal(said);
        return joined(opened(request, () -> control.exec(caller, said)), true);
    }

    int attach(Request request) throws IOException {
        ObjectNode said = Shown.said(request).put("offset", 0);
        return joined(opened(request, () -> control.attach(caller, said)), false);
    }

    private void onTerminal(ObjectNode said) {
        seat.terminal().map(ClientTerminal::size).ifPresent(size -> TerminalFields.put(said, size));
    }

    private ExecutionStream opened(Request request, Supplier<ExecutionStream> opening) {
        try (Waiting _ = Waiting.on(console, "waiting for " + request.text("box"))) {
            return opening.get();
        }
    }

    private int detached(Request request, ObjectNode said) throws IOException {
        String answer;
        try (Waiting _ = Waiting.on(console, "waiting for " + request.text("box"))) {
            answer = Json.write(control.call(caller, "exec", said));
        }
        String id = String.valueOf(Fields.of(PlainJson.parse(answer)).text("exec_id"));
        console.print((request.json() ? answer : id) + "\n");
        return Exits.DONE;
    }

    private int collected(ExecutionStream stream) throws IOException {
        Collected collected = new Collected();
        collected.started(stream.execution(), stream.snapshot().orElse(null));
        Optional<Happening.Ended> end = join(stream, true, new ExecutionTalk.Hearer() {
            @Override
            public void output(boolean error, ByteBuffer bytes) {
                byte[] copy = new byte[bytes.remaining()];
                bytes.get(copy);
                collected.output(error, ByteBuffer.wrap(copy));
            }

            @Override
            public void skipped(long bytes) {
                collected.skipped();
            }
        });
        if (end.isEmpty()) {
            return LEFT;
        }
        console.print(PlainJson.write(collected.json(Shown.fields(end.get()))) + "\n");
        return status(end.get());
    }

    /** @param own whether the command was started here, and so its input is ours to end */
    private int joined(ExecutionStream stream, boolean own) throws IOException {
        boolean raw = stream.isTerminal() && seat.terminal().isPresent();
        Optional<Happening.Ended> end = join(stream, own, new ToSeat(seat, console, raw));
        if (end.isEmpty()) {
            console.tell("left; it runs on: attach to " + stream.execution());
            return LEFT;
        }
        return status(end.get());
    }

    private Optional<Happening.Ended> join(ExecutionStream stream, boolean own, ExecutionTalk.Hearer hearer)
            throws IOException {
        ExecutionTalk talk = new ExecutionTalk(stream, this::farewell);
        AtomicInteger presses = new AtomicInteger();
        stop.instead(() -> {
            if (presses.incrementAndGet() >= PRESSES_TO_LEAVE) {
                talk.left(Leaving.SENT_AWAY);
            } else {
                talk.signalled("INT");
            }
        });
        InputTaker typed = own ? talk : new WithoutEnd(talk);
        if (seat.terminal().isEmpty()) {
            seat.conversation().listen(talk);
            if (stream.takesInput()) {
                InputPump.start(seat.conversation().input(), typed);
            }
        } else {
            ClientTerminal terminal = seat.terminal().get();
            TypedKeys lines = new TypedKeys(typed, terminal.raw(), stop::now);
            terminal.lend(stream.isTerminal() ? typed : lines, talk);
        }
        return talk.run(hearer);
    }

    /**
     * A client without a terminal that goes on purpose was interrupted, for clients cannot pass Ctrl-C on. Otherwise
     * commands do not depend on who watches them.
     */
    private Optional<String> farewell(Leaving how) {
        return how == Leaving.DELIBERATE && seat.terminal().isEmpty() ? Optional.of("INT") : Optional.empty();
    }

    /** The status that a session ends with for a command that ended so. */
    private static int status(Happening.Ended end) {
        return end.exitCode().map(code -> code & 0xFF).orElse(Exits.DONE);
    }

    /** Whose input goes on when ours has ended, since others type, too. */
    private record WithoutEnd(InputTaker taker) implements InputTaker {
        @Override
        public void take(byte[] bytes, int offset, int length) throws IOException {
            taker.take(bytes, offset, length);
        }

        @Override
        public void end() {
            // Not ours to say.
        }
    }
}
