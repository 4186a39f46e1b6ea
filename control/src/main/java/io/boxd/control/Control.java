package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.ParameterType;
import io.boxd.verbs.Verb;
import io.boxd.verbs.Verbs;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The one entry for every door: a verb and what was said with it, and the answer; streams and files beside it.
 *
 * <p>Thread-safe; calls wait, so each has a thread of its own.
 */
public final class Control implements AutoCloseable {
    private static final Map<String, ParameterType> LISTENING = Map.of("offset", ParameterType.DURATION_OR_OFF);

    /** Verbs that make something. */
    public static final Set<String> CREATING = Set.of("new", "fork", "snapshot save");

    private final Boxes boxes;
    private final Executions executions;
    private final RunOrders orders;
    private final BoxFiles files;
    private final Map<String, Handler> handlers = new HashMap<>();

    /**
     * Control over these boxes.
     *
     * @param facts which server this is; asked for each time
     */
    public Control(
            Boxes boxes, Images images, Settings settings, Supplier<ServerFacts> facts, String acceleratorReason) {
        this.boxes = boxes;
        this.executions = new Executions(boxes);
        this.orders = new RunOrders(settings);
        this.files = new BoxFiles(boxes, settings);
        Answers answers = new Answers(settings);
        handlers.putAll(new BoxVerbs(boxes, images, settings, answers).handlers());
        handlers.putAll(new LifeVerbs(boxes, answers).handlers());
        handlers.putAll(new SnapshotVerbs(boxes, answers).handlers());
        handlers.putAll(new ExecutionVerbs(boxes, executions, orders).handlers());
        handlers.putAll(new ImageVerbs(images).handlers());
        handlers.putAll(new ServerVerbs(boxes, facts, acceleratorReason).handlers());
    }

    /** The verbs that are answered by {@link #call}. */
    public Set<String> verbs() {
        return Collections.unmodifiableSet(handlers.keySet());
    }

    /** Does what is said and answers; fields are those of the verb's parameters. */
    public JsonNode call(String name, ObjectNode said) {
        return call(name, said, Optional.empty());
    }

    /** The same for a request that may be repeated: under the same key nothing is made twice. */
    public JsonNode call(String name, ObjectNode said, Optional<String> key) {
        Verb verb = verb(name);
        if (key.isPresent() && !CREATING.contains(verb.name())) {
            throw Failures.invalid(
                    verb.name() + " makes nothing that could be made twice",
                    "An idempotency key is for "
                            + String.join(", ", CREATING.stream().sorted().toList()) + ".");
        }
        Handler handler = handlers.get(verb.name());
        if (handler == null) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, verb.name() + " is a stream");
        }
        Map<String, ParameterType> more = new HashMap<>();
        if (verb.name().equals("exec")) {
            more.putAll(RunOrders.FIELDS);
            more.put("stdin", ParameterType.TEXT);
        }
        return handler.answer(Parameters.of(verb, said, more).repeatable(verb, key));
    }

    private static Verb verb(String name) {
        return Verbs.named(name)
                .orElseThrow(() -> new BoxdException(ErrorCode.NOT_FOUND, "there is no verb '" + name + "'"));
    }

    /** Runs a command and takes part in it. */
    public ExecutionStream exec(ObjectNode said) {
        Map<String, ParameterType> more = new HashMap<>(RunOrders.FIELDS);
        more.put("stdin", ParameterType.FLAG);
        Parameters parameters = Parameters.of(verb("exec"), said, more);
        if (parameters.flag("detach")) {
            throw Failures.invalid("a command that is detached has no stream", "Ask for it with POST.");
        }
        Box box = boxes.find(parameters.required("box"));
        return executions.run(box, orders.of(box, parameters, parameters.flag("stdin")));
    }

    /** Takes part in a command that was begun before. */
    public ExecutionStream attach(ObjectNode said) {
        Parameters parameters = Parameters.of(verb("attach"), said, LISTENING);
        Box box = boxes.find(parameters.required("box"));
        return executions.attach(
                box, parameters.required("exec_id"), parameters.number("offset").orElse(0L));
    }

    /** What a command, or the console, has said. */
    public BoxStream logs(ObjectNode said) {
        Parameters parameters = Parameters.of(verb("logs"), said, LISTENING);
        parameters.notBoth("exec_id", "console");
        Box box = boxes.find(parameters.required("box"));
        boolean follow = parameters.flag("follow");
        if (parameters.flag("console")) {
            return new ConsoleStream(boxes, box.id(), follow);
        }
        return executions.logs(
                box,
                parameters.text("exec_id"),
                parameters.seconds("since_s"),
                parameters.number("offset").orElse(0L),
                follow);
    }

    /** Throws if there is no such box; for doors that must know before they begin to stream. */
    public void requireBox(String box) {
        boxes.find(box);
    }

    public BoxFiles files() {
        return files;
    }

    /** Lets go of everything; boxes and their commands run on. */
    @Override
    public void close() {
        executions.close();
    }
}
