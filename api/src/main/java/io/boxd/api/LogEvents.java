package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.BoxStream;
import io.boxd.control.Control;
import io.boxd.control.ExecutionStream;
import io.boxd.control.Happening;
import io.boxd.guest.OutputChannel;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a command has said, as server-sent events.
 *
 * <p>Each event's id says the execution and the offset behind it, so a client that comes back with it misses nothing
 * and gets nothing twice, also if another command was run meanwhile. After the end it is told to stay away.
 */
final class LogEvents {
    static final String LAST_EVENT = "Last-Event-ID";
    static final String ID_PATTERN = "^(ex_[0-9a-f]{32}):([0-9]{1,18})(:end)?$";
    private static final Pattern ID = Pattern.compile(ID_PATTERN);

    private final BoxStream stream;
    private final EventWriter events;
    private long offset;

    private LogEvents(BoxStream stream, EventWriter events) {
        this.stream = stream;
        this.events = events;
        this.offset = stream instanceof ExecutionStream execution ? execution.firstOffset() : 0;
    }

    /** Answers with events until the log ends. */
    static void serve(Control control, ObjectNode said, Exchange exchange, Metrics metrics, Observer.Sight sight) {
        Optional<Matcher> last = exchange.header(LAST_EVENT).map(LogEvents::position);
        if (last.isPresent() && last.get().group(3) != null) {
            exchange.answerNothing();
            return;
        }
        last.ifPresent(position -> goOn(said, position));
        try (BoxStream stream = control.logs(exchange.caller(), said)) {
            LogEvents events = new LogEvents(stream, EventWriter.begin(exchange));
            sight.answered(exchange.status());
            metrics.streamBegun();
            try {
                events.run(exchange.id());
            } finally {
                metrics.streamEnded();
            }
        }
    }

    private static Matcher position(String id) {
        Matcher matcher = ID.matcher(id);
        if (!matcher.matches()) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT, LAST_EVENT + " is the id of an event that this server has sent");
        }
        return matcher;
    }

    private static void goOn(ObjectNode said, Matcher position) {
        if (said.has("offset") || said.path("console").asBoolean(false)) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, LAST_EVENT + " excludes 'offset' and 'console'");
        }
        String execution = said.path("exec_id").asString(position.group(1));
        if (!position.group(1).startsWith(execution)) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, LAST_EVENT + " is that of another execution");
        }
        said.put("exec_id", position.group(1));
        said.put("offset", Long.parseLong(position.group(2)));
    }

    private void run(String requestId) {
        try {
            events.event("started", id(""), StreamFacts.started(stream));
            boolean goesOn = true;
            while (goesOn) {
                goesOn = pass(stream.next(Deadline.in(ApiLimits.PING)));
            }
        } catch (RuntimeException e) {
            events.event("error", Optional.empty(), Errors.json(Errors.known(e, requestId)));
        }
        events.end();
    }

    /** Whether more can come. */
    private boolean pass(Happening happening) {
        switch (happening) {
            case Happening.Output(OutputChannel channel, ByteBuffer data) ->
                output(channel == OutputChannel.STDOUT ? "stdout" : "stderr", data);
            case Happening.Skipped(long to) -> {
                offset = to;
                events.event("skipped", id(""), Json.object().put("to", to));
            }
            case Happening.Nothing() -> events.heartbeat();
            case Happening.Ended ended -> {
                events.event("ended", id(ended.status().isPresent() ? ":end" : ""), ended.json());
                return false;
            }
        }
        return true;
    }

    private void output(String name, ByteBuffer data) {
        ObjectNode output = Json.object();
        boolean counted = stream instanceof ExecutionStream;
        output.put("offset", counted ? offset : null);
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        output.put("bytes", Base64.getEncoder().encodeToString(bytes));
        offset += bytes.length;
        events.event(name, id(""), output);
    }

    /** Behind everything that was sent; the console keeps too little for anybody to go on with it. */
    private Optional<String> id(String mark) {
        return stream instanceof ExecutionStream execution
                ? Optional.of(execution.execution() + ":" + offset + mark)
                : Optional.empty();
    }
}
