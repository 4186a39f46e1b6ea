package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.Happening;
import io.boxd.control.Happening.Ended;
import io.boxd.control.Happening.Output;
import io.boxd.control.Happening.Skipped;
import io.boxd.guest.ExitStatus;
import io.boxd.guest.OutputChannel;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What happens on a stream, on its way out. */
final class Happenings {
    private static final int STDOUT = 1;
    private static final int STDERR = 2;

    private Happenings() {}

    /** What comes next in a conversation about a stream. */
    static Happening next(Conversation conversation, Deadline deadline) {
        Optional<Message> message = conversation.take(deadline);
        if (message.isEmpty()) {
            return new Happening.Nothing();
        }
        return switch (message.get()) {
            case Message.Data data -> output(data);
            case Message.Text(JsonNode json) -> read(json);
            case Message.End() -> throw new BoxdException(ErrorCode.UNAVAILABLE, "the stream is at its end");
        };
    }

    static void send(Output output, Conversation conversation) {
        ByteBuffer data = output.data();
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        conversation.send(output.channel() == OutputChannel.STDOUT ? STDOUT : STDERR, bytes, 0, bytes.length);
    }

    private static Output output(Message.Data data) {
        return switch (data.channel()) {
            case STDOUT -> new Output(OutputChannel.STDOUT, data.bytes());
            case STDERR -> new Output(OutputChannel.STDERR, data.bytes());
            default -> throw Frame.nonsense("output of no known channel");
        };
    }

    static ObjectNode write(Skipped skipped) {
        return Json.object().put("skipped", skipped.to());
    }

    static ObjectNode write(Ended ended) {
        ObjectNode json = ended.status().map(Happenings::write).orElseGet(Json::object);
        ended.duration().ifPresent(time -> json.put("nanos", time.toNanos()));
        return json.put("timed_out", ended.timedOut());
    }

    static ObjectNode write(ExitStatus status) {
        return switch (status) {
            case ExitStatus.Exited(int code) -> Json.object().put("exited", code);
            case ExitStatus.Killed(int signal, boolean core) ->
                Json.object().put("killed", signal).put("core", core);
        };
    }

    static Optional<ExitStatus> status(JsonNode json) {
        if (json.has("exited")) {
            return Optional.of(new ExitStatus.Exited(json.path("exited").asInt()));
        }
        return json.has("killed")
                ? Optional.of(new ExitStatus.Killed(
                        json.path("killed").asInt(), json.path("core").asBoolean()))
                : Optional.empty();
    }

    private static Happening read(JsonNode json) {
        if (json.has("skipped")) {
            return new Skipped(json.path("skipped").asLong());
        }
        Optional<Duration> duration = json.has("nanos")
                ? Optional.of(Duration.ofNanos(json.path("nanos").asLong()))
                : Optional.empty();
        return new Ended(status(json), json.path("timed_out").asBoolean(), duration);
    }
}
