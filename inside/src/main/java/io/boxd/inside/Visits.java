package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.BoxProgram;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.control.Credential;
import io.boxd.verbs.Verb;
import io.boxd.verbs.Verbs;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Answers what one door asks, by control in this process; who asks is found out anew each time. */
final class Visits {
    private static final Logger LOG = LoggerFactory.getLogger(Visits.class);

    private final Control control;
    private final Supplier<Optional<String>> obstacle;
    private final DoorRights rights;
    private final StreamVisits streams;
    private final LineVisits lines = new LineVisits();
    private final FileVisits files;

    /** @param obstacle why no box can be made now; nothing if one can */
    Visits(Control control, Supplier<Optional<String>> obstacle, DoorRights rights) {
        this.control = control;
        this.obstacle = obstacle;
        this.rights = rights;
        this.streams = new StreamVisits();
        this.files = new FileVisits(control);
    }

    /** One conversation from its beginning to its end. */
    void serve(Conversation conversation) {
        try {
            answer(conversation);
        } catch (RuntimeException e) {
            fail(conversation, Failures.known(e));
        }
    }

    private static void fail(Conversation conversation, BoxdException failure) {
        try {
            conversation.fail(failure);
        } catch (BoxdException e) {
            LOG.debug("a door did not hear of a failure", e);
        }
    }

    private void answer(Conversation conversation) {
        ObjectNode asked = request(conversation);
        Question question = Question.named(asked.path("ask").asString(""))
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.INVALID_ARGUMENT,
                        "this door asks what control does not know",
                        "Are both of the same version of boxd?",
                        null));
        Caller caller = caller(asked.path("caller"));
        ObjectNode said = asked.path("said") instanceof ObjectNode object ? object : Json.object();
        switch (question) {
            case EXEC -> streams.serve(conversation, control.exec(caller, said));
            case ATTACH -> streams.serve(conversation, control.attach(caller, said));
            case LOGS -> streams.serve(conversation, control.logs(caller, said));
            case FOLLOW -> streams.follow(conversation, control.follow(caller, text(asked, "verb"), said));
            case PROGRAM -> lines.serve(conversation, control.program(caller, said));
            case ERRORS -> lines.errors(conversation, stream(asked));
            case DIAL -> lines.serve(conversation, control.dial(caller, LineForms.dial(said)));
            case LISTEN -> lines.serve(conversation, control.listen(caller, LineForms.listen(said)));
            case ARRIVAL -> lines.serve(conversation, lines.arrival(stream(asked)));
            case FILE_READ, FILE_PACK, FILE_WRITE, FILE_UNPACK, FILE_STAT ->
                files.serve(conversation, question, caller, asked);
            case IDENTIFY,
                    WAYS,
                    LOGIN_BEGIN,
                    LOGIN,
                    ENTER,
                    CALL,
                    STEER,
                    AWAIT,
                    REQUIRE_BOX,
                    CENSUS,
                    REFUSED,
                    REFUSED_OFTEN,
                    OBSTACLE -> {
                conversation.say(answer(question, caller, asked, said));
                conversation.end();
            }
        }
    }

    private static ObjectNode request(Conversation conversation) {
        Deadline deadline = Deadline.in(InsideLimits.REQUEST);
        Message first = conversation.take(deadline).orElseThrow(() -> deadline.exceeded("a door's request"));
        if (first instanceof Message.Text(ObjectNode json)) {
            return json;
        }
        throw Frame.nonsense("a conversation begins without a request");
    }

    /** A door cannot say who somebody is, only what they have shown. */
    private Caller caller(JsonNode json) {
        Caller stranger = Callers.stranger(json);
        Optional<Credential> shown = Callers.shown(json);
        if (shown.isEmpty()) {
            return stranger;
        }
        rights.require(shown.get());
        return control.identify(stranger, shown.get());
    }

    private JsonNode answer(Question question, Caller caller, ObjectNode asked, ObjectNode said) {
        return switch (question) {
            case IDENTIFY -> Json.tree(caller.principal());
            case WAYS -> control.ways();
            case LOGIN_BEGIN -> control.beginLogin(caller);
            case LOGIN -> control.login(caller, text(said, "handle"));
            case ENTER -> control.enter(caller, text(said, "invitation"), text(said, "name"), optional(said, "key"));
            case CALL -> control.call(caller, text(asked, "verb"), said, optional(asked, "repeat_key"));
            case STEER -> steer(stream(asked), said);
            case AWAIT ->
                lines.await(
                        stream(asked),
                        Deadline.in(Duration.ofNanos(asked.path("nanos").asLong())));
            case REQUIRE_BOX -> {
                control.requireBox(caller, verb(text(asked, "verb")), text(said, "box"));
                yield Json.object();
            }
            case CENSUS -> Json.tree(control.census());
            case REFUSED -> {
                control.refused(caller, text(said, "what"), Failures.read(said.path("failure")));
                yield Json.object();
            }
            case REFUSED_OFTEN -> {
                control.refusedOften();
                yield Json.object();
            }
            case OBSTACLE -> {
                ObjectNode answer = Json.object();
                obstacle.get().ifPresent(reason -> answer.put("obstacle", reason));
                yield answer;
            }
            case EXEC,
                    ATTACH,
                    LOGS,
                    FOLLOW,
                    PROGRAM,
                    ERRORS,
                    DIAL,
                    LISTEN,
                    ARRIVAL,
                    FILE_READ,
                    FILE_PACK,
                    FILE_WRITE,
                    FILE_UNPACK,
                    FILE_STAT -> throw new IllegalArgumentException(question + " is not answered at once");
        };
    }

    private ObjectNode steer(int stream, ObjectNode said) {
        Optional<BoxProgram> program = lines.find(stream);
        if (program.isEmpty()) {
            return streams.steer(stream, said);
        }
        program.get().signal(text(said, "signal"));
        return Json.object();
    }

    private static int stream(JsonNode asked) {
        return asked.path("stream").asInt();
    }

    private static Verb verb(String name) {
        return Verbs.named(name)
                .orElseThrow(() -> new BoxdException(ErrorCode.NOT_FOUND, "there is no verb '" + name + "'"));
    }

    private static String text(JsonNode json, String field) {
        return json.path(field).asString("");
    }

    private static Optional<String> optional(JsonNode json, String field) {
        return Optional.ofNullable(json.path(field).asString(null));
    }
}
