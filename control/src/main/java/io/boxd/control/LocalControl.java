package io.boxd.control;

import io.boxd.accounts.AccountRecord;
import io.boxd.accounts.Deed;
import io.boxd.accounts.Principal;
import io.boxd.chronicle.Chronicle;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.Topic;
import io.boxd.verbs.Verb;
import io.boxd.verbs.Verbs;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Control in this process, over the boxes of this host. */
public final class LocalControl implements Control, AutoCloseable {
    private final Boxes boxes;
    private final Guard guard;
    private final OpenStreams streams;
    private final Executions executions;
    private final RunOrders orders;
    private final Lines lines;
    private final Settings settings;
    private final Entrance entrance;
    private final Trail trail;
    private final ChronicleVerbs history;
    private final Map<String, Handler> handlers = new HashMap<>();

    /**
     * Control over these boxes.
     *
     * @param facts which server this is; asked for each time
     */
    public LocalControl(Parts parts, Settings settings, Supplier<ServerFacts> facts, String acceleratorReason) {
        AccountRecord accounts = parts.accounts();
        Shares shares = parts.shares();
        Chronicle chronicle = parts.chronicle();
        InstantSource clock = InstantSource.system();
        this.boxes = parts.boxes();
        this.guard = new Guard(accounts, boxes, clock);
        this.streams = new OpenStreams(guard, clock);
        this.executions = new Executions(boxes, shares);
        this.orders = new RunOrders(settings);
        this.settings = settings;
        this.entrance = parts.entrance();
        this.trail = new Trail(chronicle.audit(), boxes);
        this.lines = new Lines(boxes, guard, streams, trail, settings);
        this.history = new ChronicleVerbs(chronicle, guard);
        Creations creations = new Creations(parts.requests(), clock);
        Answers answers = new Answers(settings, accounts, facts);
        handlers.putAll(new BoxVerbs(parts.images(), settings, answers, shares).handlers());
        handlers.putAll(new LifeVerbs(answers).handlers());
        handlers.putAll(new SnapshotVerbs(answers, shares).handlers());
        handlers.putAll(new ExecutionVerbs(executions, orders).handlers());
        handlers.putAll(new ImageVerbs(parts.images(), creations).handlers());
        handlers.putAll(new AccountVerbs(accounts, clock, creations).handlers());
        handlers.putAll(new OrganisationVerbs(accounts, clock, creations).handlers());
        handlers.putAll(new UserVerbs(accounts, boxes, clock, creations).handlers());
        handlers.putAll(new UsageVerbs(accounts, boxes, shares.usual(), clock).handlers());
        handlers.putAll(history.handlers());
        handlers.putAll(new WebhookVerbs(chronicle, creations).handlers());
        handlers.putAll(new CertificateVerbs(parts.certificates()).handlers());
        handlers.putAll(new ServerVerbs(facts, acceleratorReason).handlers());
    }

    @Override
    public ObjectNode ways() {
        return entrance.ways();
    }

    @Override
    public ObjectNode beginLogin(Caller caller) {
        return trail.ofEntrance(caller, "login begin", () -> entrance.begin(caller.who()));
    }

    @Override
    public ObjectNode login(Caller caller, String handle) {
        return trail.ofEntrance(caller, "login", () -> entrance.ask(handle));
    }

    @Override
    public ObjectNode enter(Caller caller, String invitation, String name, Optional<String> key) {
        return trail.ofEntrance(caller, "enter", () -> entrance.enter(invitation, Names.account(name), key));
    }

    @Override
    public Caller identify(Caller stranger, Credential shown) {
        return stranger.known(guard.identify(shown), shown);
    }

    /** The verbs that are answered by {@link #call}. */
    public Set<String> verbs() {
        return Collections.unmodifiableSet(handlers.keySet());
    }

    @Override
    public JsonNode call(Caller caller, String name, ObjectNode said, Optional<String> key) {
        Verb verb = verb(name);
        return trail.of(caller, verb, said, () -> answer(caller, verb, said, key), Trail.Traces::of);
    }

    private JsonNode answer(Caller caller, Verb verb, ObjectNode said, Optional<String> key) {
        if (key.isPresent() && !verb.creates()) {
            throw Failures.invalid(
                    verb.name() + " makes nothing that could be made twice",
                    "An idempotency key is for "
                            + Verbs.all().stream()
                                    .filter(Verb::creates)
                                    .map(Verb::name)
                                    .sorted()
                                    .collect(Collectors.joining(", "))
                            + ".");
        }
        Handler handler = handlers.get(verb.name());
        if (handler == null) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, verb.name() + " is a stream");
        }
        Principal who = caller.principal();
        Boxes theirs = guard.boxes(who, Deed.of(verb));
        Parameters parameters =
                Parameters.of(verb, said, DoorFields.ofCall(verb)).repeatable(verb, who.user(), key);
        JsonNode answer = handler.answer(new Asked(who, theirs, parameters));
        if (verb.topic() == Topic.ACCOUNTS && !verb.reads()) {
            streams.endWhatIsNotAllowed();
        }
        return answer;
    }

    private static Verb verb(String name) {
        return Verbs.named(name)
                .orElseThrow(() -> new BoxdException(ErrorCode.NOT_FOUND, "there is no verb '" + name + "'"));
    }

    private Asked streamed(Caller caller, String name, ObjectNode said) {
        Verb verb = verb(name);
        Principal who = caller.principal();
        Boxes theirs = guard.boxes(who, Deed.of(verb));
        return new Asked(who, theirs, Parameters.of(verb, said, DoorFields.ofStream(verb)));
    }

    @Override
    public ExecutionStream exec(Caller caller, ObjectNode said) {
        return trail.of(caller, verb("exec"), said, () -> run(caller, said), Trail.Traces::of);
    }

    private ExecutionStream run(Caller caller, ObjectNode said) {
        Asked asked = streamed(caller, "exec", said);
        Parameters parameters = asked.said();
        if (parameters.flag("detach")) {
            throw Failures.invalid("a command that is detached has no stream", "Ask for it with POST.");
        }
        Box box = asked.box();
        RunOrder order = orders.of(box, parameters, parameters.flag("stdin"));
        return noted(executions.run(box, order), caller, "exec", box);
    }

    @Override
    public ExecutionStream attach(Caller caller, ObjectNode said) {
        return trail.of(caller, verb("attach"), said, () -> takePart(caller, said), Trail.Traces::of);
    }

    private ExecutionStream takePart(Caller caller, ObjectNode said) {
        Asked asked = streamed(caller, "attach", said);
        Box box = asked.box();
        ExecutionStream stream = executions.attach(
                box,
                asked.said().required("exec_id"),
                asked.said().number("offset").orElse(0L));
        return noted(stream, caller, "attach", box);
    }

    @Override
    public BoxProgram program(Caller caller, ObjectNode said) {
        return lines.program(caller, said);
    }

    @Override
    public BoxConnection dial(Caller caller, DialOrder order) {
        return lines.dial(caller, order);
    }

    @Override
    public BoxListener listen(Caller caller, ListenOrder order) {
        return lines.listen(caller, order);
    }

    @Override
    public BoxStream logs(Caller caller, ObjectNode said) {
        return trail.of(caller, verb("logs"), said, () -> listen(caller, said), _ -> Trail.Traces.none());
    }

    private BoxStream listen(Caller caller, ObjectNode said) {
        Asked asked = streamed(caller, "logs", said);
        Parameters parameters = asked.said();
        Box box = asked.box();
        boolean follow = parameters.flag("follow");
        if (parameters.flag("console")) {
            return noted(new LocalConsoleStream(boxes, box.id(), follow), caller, "logs", box);
        }
        ExecutionStream stream = executions.logs(
                box,
                parameters.text("exec_id"),
                parameters.seconds("since_s"),
                parameters.number("offset").orElse(0L),
                follow);
        return noted(stream, caller, "logs", box);
    }

    private <T extends AutoCloseable> T noted(T stream, Caller caller, String verb, Box box) {
        return streams.note(stream, caller, Deed.of(verb(verb)), Optional.of(box.id()));
    }

    @Override
    public void requireBox(Caller caller, Verb verb, String box) {
        guard.boxes(caller.principal(), Deed.of(verb)).find(box);
    }

    @Override
    public Map<String, Long> census() {
        return ServerVerbs.census(boxes);
    }

    @Override
    public Following follow(Caller caller, String name, ObjectNode said) {
        Verb verb = verb(name);
        return trail.of(caller, verb, said, () -> history(caller, verb, said), _ -> Trail.Traces.none());
    }

    private Following history(Caller caller, Verb verb, ObjectNode said) {
        if (said.has("follow") && !said.path("follow").asBoolean(true)) {
            throw Failures.invalid("a stream goes on", "Ask without a stream for what there is.");
        }
        Asked asked = streamed(caller, verb.name(), said.put("follow", true));
        Following following = switch (verb.name()) {
            case "events" -> history.followEvents(asked);
            case "audit" -> history.followAudit(asked);
            default -> throw new BoxdException(ErrorCode.INVALID_ARGUMENT, verb.name() + " cannot be followed");
        };
        return streams.note(following, caller, Deed.of(verb), Optional.empty());
    }

    @Override
    public BoxFiles files(Caller caller) {
        Principal who = caller.principal();
        return new LocalFiles(
                guard.boxes(who, Deed.readingFiles()),
                () -> guard.boxes(who, Deed.writingFiles()),
                settings,
                trail,
                streams,
                caller);
    }

    @Override
    public void refused(Caller caller, String what, BoxdException failure) {
        trail.refused(caller, what, failure);
    }

    @Override
    public void refusedOften() {
        trail.refusedOften();
    }

    /** Lets go of everything; boxes and their commands run on. */
    @Override
    public void close() {
        streams.close();
        executions.close();
    }
}
