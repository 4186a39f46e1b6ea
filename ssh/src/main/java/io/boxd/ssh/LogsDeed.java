package io.boxd.ssh;

import io.boxd.common.BoxdException;
import io.boxd.common.PlainJson;
import io.boxd.console.Collected;
import io.boxd.console.Console;
import io.boxd.control.BoxStream;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.control.ExecutionStream;
import io.boxd.control.Happening;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Request;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** {@code logs}: what an execution or the console has said, and goes on to say. */
final class LogsDeed {
    private static final int LEFT = 130;

    private final Control control;
    private final Caller caller;
    private final Seat seat;
    private final Console console;
    private final Stop stop;

    LogsDeed(Control control, Caller caller, Seat seat, Console console, Stop stop) {
        this.control = control;
        this.caller = caller;
        this.seat = seat;
        this.console = console;
        this.stop = stop;
    }

    int show(Request request) throws IOException {
        boolean lines = request.json() && request.flag("follow");
        Collected collected = new Collected();
        AtomicBoolean left = new AtomicBoolean();
        Happening.Ended end;
        try (BoxStream stream = control.logs(caller, Shown.said(request).put("offset", 0))) {
            Runnable leave = () -> leave(left, stream);
            stop.on(leave);
            if (seat.terminal().isEmpty()) {
                seat.conversation().listen(new WhenLeft(leave));
            }
            if (stream instanceof ExecutionStream execution) {
                collected.started(execution.execution(), null);
            }
            end = ExecutionTalk.hear(stream, 0, hearer(request.json(), lines, collected));
        } catch (BoxdException e) {
            if (left.get()) {
                return LEFT;
            }
            throw e;
        }
        if (lines) {
            console.print(PlainJson.write(Map.of("ended", Shown.fields(end).values())) + "\n");
        } else if (request.json()) {
            console.print(PlainJson.write(collected.json(Shown.fields(end))) + "\n");
        }
        return Exits.DONE;
    }

    private static void leave(AtomicBoolean left, BoxStream stream) {
        left.set(true);
        stream.close();
    }

    private ExecutionTalk.Hearer hearer(boolean json, boolean lines, Collected collected) {
        return new ExecutionTalk.Hearer() {
            @Override
            public void output(boolean error, ByteBuffer bytes) throws IOException {
                byte[] copy = new byte[bytes.remaining()];
                bytes.get(copy);
                if (lines) {
                    String text = new String(copy, StandardCharsets.UTF_8);
                    console.print(PlainJson.write(Map.of("stream", error ? "stderr" : "stdout", "text", text)) + "\n");
                } else if (json) {
                    collected.output(error, ByteBuffer.wrap(copy));
                } else {
                    console.write(error, ByteBuffer.wrap(copy));
                }
            }

            @Override
            public void skipped(long bytes) {
                collected.skipped();
                if (!json || lines) {
                    console.tell(bytes + " bytes of older output are not kept any more");
                }
            }
        };
    }
}
