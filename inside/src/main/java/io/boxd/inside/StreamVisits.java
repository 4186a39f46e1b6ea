package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.BoxStream;
import io.boxd.control.ConsoleStream;
import io.boxd.control.ExecutionStream;
import io.boxd.control.Following;
import io.boxd.control.Happening;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** The streams of one door: two threads each, one for what a box says and one for what the door says. */
final class StreamVisits {
    private static final Logger LOG = LoggerFactory.getLogger(StreamVisits.class);

    /** By the number of their conversation. */
    private final ConcurrentMap<Integer, ExecutionStream> open = new ConcurrentHashMap<>();

    void serve(Conversation conversation, BoxStream stream) {
        try (stream) {
            if (stream instanceof ExecutionStream execution) {
                open.put(conversation.id(), execution);
            }
            conversation.say(facts(stream));
            Thread.ofVirtual().name("input-", conversation.id()).start(() -> listen(conversation, stream));
            while (pass(stream.next(Deadline.in(InsideLimits.LOOK)), conversation)) {
                // Until it ends, or the door has left, which closes the stream.
            }
            conversation.end();
        } finally {
            open.remove(conversation.id());
        }
    }

    private static ObjectNode facts(BoxStream stream) {
        return switch (stream) {
            case ConsoleStream _ -> Json.object().put("console", true);
            case ExecutionStream execution -> {
                ObjectNode facts = Json.object()
                        .put("exec_id", execution.execution())
                        .put("first_offset", execution.firstOffset())
                        .put("tty", execution.isTerminal())
                        .put("takes_input", execution.takesInput())
                        .put("input_offset", execution.inputOffset());
                execution.snapshot().ifPresent(id -> facts.put("snapshot", id));
                yield facts;
            }
        };
    }

    /** Whether more can come. */
    private static boolean pass(Happening happening, Conversation conversation) {
        switch (happening) {
            case Happening.Output output -> Happenings.send(output, conversation);
            case Happening.Skipped skipped -> conversation.say(Happenings.write(skipped));
            case Happening.Nothing() -> {}
            case Happening.Ended ended -> {
                conversation.say(Happenings.write(ended));
                return false;
            }
        }
        return true;
    }

    /** Types what comes, until the door leaves or the stream is over. */
    private static void listen(Conversation conversation, BoxStream stream) {
        try {
            while (true) {
                Deadline deadline = Deadline.in(InsideLimits.LONGEST);
                Message message = conversation.take(deadline).orElseThrow(() -> deadline.exceeded("input"));
                if (!type(message, stream)) {
                    conversation.stop();
                }
            }
        } catch (BoxdException e) {
            LOG.debug("nobody types any more", e);
            stream.close();
        }
    }

    /** Whether the command takes more; if not, what comes is forgotten. */
    private static boolean type(Message message, BoxStream stream) {
        if (!(stream instanceof ExecutionStream execution) || !execution.takesInput()) {
            return false;
        }
        try {
            switch (message) {
                case Message.Data(int _, ByteBuffer bytes) ->
                    execution.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
                case Message.End() -> execution.endInput();
                case Message.Text _ -> throw Frame.nonsense("a text where input was expected");
            }
            return true;
        } catch (IOException | BoxdException e) {
            LOG.debug("a command takes no more input", e); // it has ended, or its box has
            return false;
        }
    }

    /** Something about a stream of this door that is open. */
    ObjectNode steer(int stream, ObjectNode said) {
        ExecutionStream execution = Optional.ofNullable(open.get(stream))
                .orElseThrow(() -> new BoxdException(ErrorCode.UNAVAILABLE, "the stream was closed"));
        if (said.has("signal")) {
            execution.signal(said.path("signal").asString(""));
        } else {
            execution.resize(said.path("rows").asInt(), said.path("columns").asInt());
        }
        return Json.object();
    }

    void follow(Conversation conversation, Following following) {
        try (following) {
            conversation.say(Json.object().put("position", following.position()));
            whenLeft(conversation, following::close);
            while (true) {
                Optional<Following.Told> told = following.next(Deadline.in(InsideLimits.LOOK));
                if (told.isPresent()) {
                    ObjectNode message = Json.object()
                            .put("id", told.get().id())
                            .put("kind", told.get().kind())
                            .put("position", following.position());
                    message.set("json", told.get().json());
                    conversation.say(message);
                }
            }
        }
    }

    /** For conversations in which the door has nothing more to say. */
    static void whenLeft(Conversation conversation, Runnable deed) {
        Thread.ofVirtual().name("left-", conversation.id()).start(() -> {
            try {
                Deadline deadline = Deadline.in(InsideLimits.LONGEST);
                while (conversation.take(deadline).isPresent()) {
                    LOG.debug("a door says something where nothing is expected");
                }
            } catch (BoxdException e) {
                LOG.debug("a door listens no more", e);
            }
            deed.run();
        });
    }
}
