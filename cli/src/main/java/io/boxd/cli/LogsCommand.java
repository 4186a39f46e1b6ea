package io.boxd.cli;

import io.boxd.common.PlainJson;
import io.boxd.console.BrokenOutputException;
import io.boxd.console.Collected;
import io.boxd.console.Console;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Fields;
import io.boxd.verbs.Request;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code logs}: what an execution or the console has said, and goes on to say. */
final class LogsCommand {
    private final Servers servers;
    private final Console console;

    LogsCommand(Servers servers, Console console) {
        this.servers = servers;
        this.console = console;
    }

    int show(Request request) throws BrokenOutputException {
        Session.Opening opening = new Session.Opening(request.target(), request.fields());
        boolean lines = request.json() && request.flag("follow");
        Collected collected = new Collected();
        Session.Listener listener = request.json() && !lines ? new Collecting(collected) : new Shown(lines);
        Fields end = new Session(
                        servers,
                        (started, offset) -> opening.with(from(started, offset)),
                        listener,
                        null,
                        false,
                        console::tell)
                .run(opening.with(Map.of("offset", 0)))
                .orElseThrow();
        if (lines) {
            console.print(PlainJson.write(Map.of("ended", end.values())) + "\n");
        } else if (request.json()) {
            console.print(PlainJson.write(collected.json(end)) + "\n");
        }
        return Exits.DONE;
    }

    private static Map<String, @Nullable Object> from(StreamMessage.Started started, long offset) {
        Map<String, @Nullable Object> start = new LinkedHashMap<>();
        if (started.execution() != null) {
            start.put("exec_id", started.execution());
        }
        start.put("offset", offset);
        return start;
    }

    /** Passes on what comes, as it is or as a line of JSON for each piece. */
    private final class Shown implements Session.Listener {
        private final boolean lines;

        Shown(boolean lines) {
            this.lines = lines;
        }

        @Override
        public void started(StreamMessage.Started started) {
            // There is nothing to show of it.
        }

        @Override
        public void output(int channel, ByteBuffer bytes) throws BrokenOutputException {
            if (lines) {
                String stream = channel == StreamMessage.STDERR ? "stderr" : "stdout";
                String text = StandardCharsets.UTF_8.decode(bytes).toString();
                console.print(PlainJson.write(Map.of("stream", stream, "text", text)) + "\n");
            } else {
                console.write(channel == StreamMessage.STDERR, bytes);
            }
        }

        @Override
        public void skipped(long bytes) {
            console.tell(bytes + " bytes of older output are not kept any more");
        }
    }
}
