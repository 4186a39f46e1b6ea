package io.boxd.control;

import io.boxd.chronicle.Chronicle;
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

    private final Boxes boxes;
    private final Executions executions;
    private final RunOrders orders;
    private final Settings settings;
    private final Trail trail;
    private final ChronicleVerbs happenings;
    private final Map<String, Handler> handlers = new HashMap<>();

    /**
     * Control over these boxes.
     *
     * @param chronicle where it is written down who did what
     * @param facts which server this is; asked for each time
     */
    public Control(
            Boxes boxes,
            Images images,
            Chronicle chronicle,
            Settings settings,
            Supplier<ServerFacts> facts,
            String acceleratorReason) {
        this.boxes = boxes;
        this.executions = new Executions(boxes);
        this.orders = new RunOrders(settings);
        this.settings = settings;
        this.trail = new Trail(chronicle.audit(), boxes);
        this.happenings = new ChronicleVerbs(chronicle);
        Answers answers = new Answers(settings);
        handlers.putAll(new BoxVerbs(boxes, images, settings, answers).handlers());
        handlers.putAll(new LifeVerbs(boxes, answers).handlers());
        handlers.putAll(new SnapshotVerbs(boxes, answers).handlers());
        handlers.putAll(new ExecutionVerbs(boxes, executions, orders).handlers());
        handlers.putAll(new ImageVerbs(images).handlers());
        handlers.putAll(happenings.handlers());
        handlers.putAll(new WebhookVerbs(chronicle.webhooks()).handlers());
        handlers.putAll(new ServerVerbs(boxes, facts, acceleratorReason).handlers());
    }

    /** The verbs that are answered by {@link #call}. */
    public Set<String> verbs() {
        return Collections.unmodifiableSet(handlers.keySet());
    }

    /** Does what is said and answers; fields are those of the verb's parameters. */
    public JsonNode call(Caller caller, String name, ObjectNode said) {
        Verb verb = verb(name);
        return trail.of(caller, verb, said, () -> answer(verb, said), Trail.Traces::of);
    }

    private JsonNode answer(Verb verb, ObjectNode said) {
        Handler handler = handlers.get(verb.name());
        if (handler == null) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, verb.name() + " is a stream");
        }
        Map<String, ParameterType> more = new HashMap<>();
        if (verb.name().equals("exec")) {
            more.putAll(RunOrders.FIELDS);
            more.put("stdin", ParameterType.TEXT);
        }
        return handler.answer(Parameters.of(verb, said, more));
    }

    private static Verb verb(String name) {
        return Verbs.named(name)
                .orElseThrow(() -> new BoxdException(ErrorCode.NOT_FOUND, "there is no verb '" + name + "'"));
    }

    /** Runs a command and takes part in it. */
    public ExecutionStream exec(Caller caller, ObjectNode said) {
        return trail.of(caller, verb("exec"), said, () -> run(said), Trail.Traces::of);
    }

    private ExecutionStream run(ObjectNode said) {
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
    public ExecutionStream attach(Caller caller, ObjectNode said) {
        return trail.of(caller, verb("attach"), said, () -> takePart(said), Trail.Traces::of);
    }

    private ExecutionStream takePart(ObjectNode said) {
        Parameters parameters = Parameters.of(verb("attach"), said, LISTENING);
        Box box = boxes.find(parameters.required("box"));
        return executions.attach(
                box, parameters.required("exec_id"), parameters.number("offset").orElse(0L));
    }

    /** What a command, or the console, has said. */
    public BoxStream logs(Caller caller, ObjectNode said) {
        return trail.of(caller, verb("logs"), said, () -> listen(said), _ -> Trail.Traces.none());
    }

    private BoxStream listen(ObjectNode said) {
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

    /** What goes on happening; {@code events} and {@code audit} can be followed. */
    public Following follow(Caller caller, String name, ObjectNode said, Optional<Long> after) {
        Verb verb = verb(name);
        Supplier<Following> following = () -> {
            Parameters parameters = Parameters.of(verb, said, Map.of());
            return switch (verb.name()) {
                case "events" -> happenings.followEvents(parameters, after);
                case "audit" -> happenings.followAudit(parameters);
                default -> throw new BoxdException(ErrorCode.INVALID_ARGUMENT, verb.name() + " cannot be followed");
            };
        };
        return trail.of(caller, verb, said, following, _ -> Trail.Traces.none());
    }

    /** Files in boxes, as somebody may see and change them. */
    public BoxFiles files(Caller caller) {
        return new BoxFiles(boxes, settings, trail, caller);
    }

    /** A door has turned somebody away before anything was done. */
    public void refused(Caller caller, String what, BoxdException failure) {
        trail.refused(caller, what, failure);
    }

    /** Lets go of everything; boxes and their commands run on. */
    @Override
    public void close() {
        executions.close();
    }
}
