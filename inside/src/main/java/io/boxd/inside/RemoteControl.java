package io.boxd.inside;

import io.boxd.accounts.Principal;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.BoxConnection;
import io.boxd.control.BoxFiles;
import io.boxd.control.BoxListener;
import io.boxd.control.BoxProgram;
import io.boxd.control.BoxStream;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.control.Credential;
import io.boxd.control.DialOrder;
import io.boxd.control.ExecutionStream;
import io.boxd.control.Following;
import io.boxd.control.ListenOrder;
import io.boxd.verbs.Verb;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Control in another process, for doors: everything that is said goes there, with what its caller has shown.
 *
 * <p>While control is away every call fails at once; when it is back, calls go through again.
 */
public final class RemoteControl implements Control, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteControl.class);

    private final Connection connection;

    /**
     * Control at this address.
     *
     * @param context with this door's certificate, which believes the authority of control and no other
     */
    public RemoteControl(String host, int port, SSLContext context) {
        this.connection = new Connection(host, port, context);
    }

    static ObjectNode question(Question question) {
        return Json.object().put("ask", question.wireName());
    }

    static ObjectNode question(Question question, Caller caller) {
        ObjectNode asked = question(question);
        asked.set("caller", Callers.write(caller));
        return asked;
    }

    private static ObjectNode question(Question question, Caller caller, ObjectNode said) {
        ObjectNode asked = question(question, caller);
        asked.set("said", said);
        return asked;
    }

    /** Asks and takes the answer. */
    JsonNode ask(ObjectNode question) {
        try (Conversation conversation = begin(question)) {
            return answer(conversation);
        }
    }

    /** The same in this conversation, which then is over. */
    static JsonNode ask(Conversation conversation, ObjectNode question) {
        try (conversation) {
            conversation.say(question);
            return answer(conversation);
        }
    }

    /** The one answer, after which control has nothing more to say. */
    static JsonNode answer(Conversation conversation) {
        JsonNode answer = text(conversation);
        if (await(conversation) instanceof Message.End) {
            return answer;
        }
        throw Frame.nonsense("more than one answer");
    }

    /** What control says first. */
    static JsonNode text(Conversation conversation) {
        if (await(conversation) instanceof Message.Text(JsonNode json)) {
            return json;
        }
        throw Frame.nonsense("no answer");
    }

    private static Message await(Conversation conversation) {
        Deadline deadline = Deadline.in(InsideLimits.LONGEST);
        return conversation.take(deadline).orElseThrow(() -> deadline.exceeded("control"));
    }

    Conversation begin(ObjectNode question) {
        Conversation conversation = connection.open();
        try {
            conversation.say(question);
            return conversation;
        } catch (RuntimeException e) {
            conversation.close();
            throw e;
        }
    }

    @Override
    public Caller identify(Caller stranger, Credential shown) {
        ObjectNode asked = question(Question.IDENTIFY);
        ObjectNode caller = Callers.write(stranger);
        caller.setAll(Callers.write(shown));
        asked.set("caller", caller);
        return stranger.known(Json.read(Json.write(ask(asked)), Principal.class), shown);
    }

    @Override
    public ObjectNode ways() {
        return object(ask(question(Question.WAYS, NOBODY)));
    }

    private static final Caller NOBODY = Caller.stranger("", "", Optional.empty());

    private static ObjectNode object(JsonNode answer) {
        if (answer instanceof ObjectNode object) {
            return object;
        }
        throw Frame.nonsense("an answer that is no object");
    }

    @Override
    public ObjectNode beginLogin(Caller caller) {
        return object(ask(question(Question.LOGIN_BEGIN, caller)));
    }

    @Override
    public ObjectNode login(Caller caller, String handle) {
        return object(ask(question(Question.LOGIN, caller, Json.object().put("handle", handle))));
    }

    @Override
    public ObjectNode enter(Caller caller, String invitation, String name, Optional<String> key) {
        ObjectNode said = Json.object().put("invitation", invitation).put("name", name);
        key.ifPresent(text -> said.put("key", text));
        return object(ask(question(Question.ENTER, caller, said)));
    }

    @Override
    public JsonNode call(Caller caller, String name, ObjectNode said, Optional<String> key) {
        ObjectNode asked = question(Question.CALL, caller, said).put("verb", name);
        key.ifPresent(text -> asked.put("repeat_key", text));
        return ask(asked);
    }

    @Override
    public ExecutionStream exec(Caller caller, ObjectNode said) {
        return execution(question(Question.EXEC, caller, said));
    }

    @Override
    public ExecutionStream attach(Caller caller, ObjectNode said) {
        return execution(question(Question.ATTACH, caller, said));
    }

    private ExecutionStream execution(ObjectNode asked) {
        if (stream(asked) instanceof ExecutionStream execution) {
            return execution;
        }
        throw Frame.nonsense("a console instead of a command");
    }

    @Override
    public BoxStream logs(Caller caller, ObjectNode said) {
        return stream(question(Question.LOGS, caller, said));
    }

    private BoxStream stream(ObjectNode asked) {
        return opened(
                asked,
                (facts, conversation) -> facts.has("console")
                        ? new RemoteConsoleStream(conversation)
                        : new RemoteExecutionStream(facts, conversation, said -> steer(conversation, said)));
    }

    private void steer(Conversation stream, ObjectNode said) {
        ObjectNode asked = question(Question.STEER).put("stream", stream.id());
        asked.set("said", said);
        ask(stream.sibling(), asked);
    }

    @Override
    public BoxProgram program(Caller caller, ObjectNode said) {
        return opened(question(Question.PROGRAM, caller, said), (_, conversation) -> new RemoteProgram(conversation));
    }

    @Override
    public BoxConnection dial(Caller caller, DialOrder order) {
        return opened(
                question(Question.DIAL, caller, LineForms.write(order)),
                (_, conversation) -> new RemoteConnection(conversation));
    }

    @Override
    public BoxListener listen(Caller caller, ListenOrder order) {
        return opened(question(Question.LISTEN, caller, LineForms.write(order)), RemoteListener::new);
    }

    /** Asks for something that stays open, once control has said its first word about it. */
    private <T> T opened(ObjectNode asked, BiFunction<JsonNode, Conversation, T> made) {
        Conversation conversation = begin(asked);
        try {
            return made.apply(text(conversation), conversation);
        } catch (RuntimeException e) {
            conversation.close();
            throw e;
        }
    }

    @Override
    public Following follow(Caller caller, String name, ObjectNode said) {
        return opened(
                question(Question.FOLLOW, caller, said).put("verb", name),
                (facts, conversation) ->
                        new RemoteFollowing(facts.path("position").asLong(), conversation));
    }

    @Override
    public BoxFiles files(Caller caller) {
        return new RemoteFiles(this, caller);
    }

    @Override
    public void requireBox(Caller caller, Verb verb, String box) {
        ask(question(Question.REQUIRE_BOX, caller, Json.object().put("box", box))
                .put("verb", verb.name()));
    }

    @Override
    public Map<String, Long> census() {
        Map<String, Long> counts = new LinkedHashMap<>();
        ask(question(Question.CENSUS, NOBODY)).forEachEntry((status, count) -> counts.put(status, count.asLong()));
        return counts;
    }

    /** While control is away nothing is done that could be wrong, and nobody is there to write it down. */
    @Override
    public void refused(Caller caller, String what, BoxdException failure) {
        ObjectNode said = Json.object().put("what", what);
        said.set("failure", Failures.json(failure));
        noteIfThere(question(Question.REFUSED, caller, said));
    }

    @Override
    public void refusedOften() {
        noteIfThere(question(Question.REFUSED_OFTEN, NOBODY));
    }

    private void noteIfThere(ObjectNode asked) {
        try {
            ask(asked);
        } catch (BoxdException e) {
            if (e.code() != ErrorCode.UNAVAILABLE) {
                throw e;
            }
            LOG.warn("a refusal could not be written down: {}", e.getMessage());
        }
    }

    /** Why no box can be made now; nothing if one can. */
    public Optional<String> obstacle() {
        try {
            return Optional.ofNullable(
                    ask(question(Question.OBSTACLE, NOBODY)).path("obstacle").asString(null));
        } catch (BoxdException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
