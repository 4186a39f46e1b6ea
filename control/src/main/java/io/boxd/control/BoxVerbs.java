package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.vmm.MachineSize;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import io.boxd.worker.CheckpointRule;
import io.boxd.worker.ForkOrder;
import io.boxd.worker.Forked;
import io.boxd.worker.NewBox;
import io.boxd.worker.Origination;
import io.boxd.worker.Sharing;
import io.boxd.worker.SleepRules;
import io.boxd.worker.Status;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Which boxes there are: new, fork, list, info, rename, label, resize, idle, promote, destroy. */
final class BoxVerbs {
    private static final int NAMES_TO_TRY = 8;
    private static final Set<Status> SHOWN_ONLY_IF_ASKED = Set.of(Status.STOPPED, Status.FAILED);

    private final Settings settings;
    private final Answers answers;
    private final Images images;
    private final Shares shares;
    private final RandomGenerator random = new SecureRandom();

    BoxVerbs(Images images, Settings settings, Answers answers, Shares shares) {
        this.images = images;
        this.shares = shares;
        this.settings = settings;
        this.answers = answers;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "new", this::create,
                "list", this::list,
                "info", asked -> answers.box(asked.box()),
                "rename", this::rename,
                "label", this::label,
                "resize", this::resize,
                "fork", this::fork,
                "idle", this::idle,
                "promote",
                        asked -> answers.box(
                                asked.boxes().promote(asked.said().required("box"), Deadline.in(Limits.MOVE))),
                "destroy", BoxVerbs::destroy);
    }

    private JsonNode create(Asked asked) {
        Parameters said = asked.said();
        said.notBoth("image", "from");
        Origination origin = origin(asked);
        Optional<MachineSize> size = size(said, origin);
        Map<String, String> environment = Labels.environment(said.texts("env"));
        Map<String, String> labels = Labels.labels(said.texts("labels"));
        SleepRules sleep = new SleepRules(
                said.seconds("idle_after_s").orElse(settings.sleep().idleAfter()),
                said.seconds("hibernate_after_s").orElse(settings.sleep().hibernateAfter()));
        CheckpointRule checkpoints = checkpoints(said);
        Optional<Duration> timeToLive = said.seconds("ttl_s");
        boolean untilReady = !said.flag("no_wait");
        Sharing sharing = shares.sharing(asked);
        String owner = asked.who().user();
        Deadline deadline = Deadline.in(Limits.CREATION);
        return withName(
                asked,
                name -> answers.box(asked.boxes()
                        .create(
                                new NewBox(
                                        name,
                                        origin,
                                        size,
                                        environment,
                                        labels,
                                        sleep,
                                        checkpoints,
                                        timeToLive,
                                        untilReady,
                                        owner,
                                        shares.of(owner, sharing),
                                        asked.key(),
                                        sharing),
                                deadline)));
    }

    private Origination origin(Asked asked) {
        Optional<String> snapshot = asked.said().text("from");
        if (snapshot.isPresent()) {
            return new Origination.FromSnapshot(
                    asked.boxes().findSnapshot(snapshot.get()).id());
        }
        String image = asked.said().text("image").orElse(settings.image());
        images.require(image);
        return new Origination.FromImage(image);
    }

    private Optional<MachineSize> size(Parameters said, Origination origin) {
        boolean asked = said.has("cpus") || said.has("memory_bytes") || said.has("disk_bytes");
        if (!(origin instanceof Origination.FromSnapshot)) {
            return Optional.of(size(said, settings.size()));
        }
        if (asked) {
            throw Failures.invalid(
                    "a box that starts from a snapshot has the snapshot's size", "Resize the box afterwards.");
        }
        return Optional.empty();
    }

    private static MachineSize size(Parameters said, MachineSize otherwise) {
        return new MachineSize(
                said.count("cpus", Integer.MAX_VALUE).orElse(otherwise.cpus()),
                said.number("memory_bytes").orElse(otherwise.memoryBytes()),
                said.number("disk_bytes").orElse(otherwise.diskBytes()));
    }

    private static CheckpointRule checkpoints(Parameters said) {
        if (said.isText("checkpoint_every")) {
            return new CheckpointRule.EachCommand();
        }
        Duration time = said.seconds("checkpoint_every").orElse(Duration.ZERO);
        return time.isZero() ? new CheckpointRule.Off() : new CheckpointRule.Every(time);
    }

    /** With the name that was said; or with made-up ones until one is not taken by somebody at the same moment. */
    private JsonNode withName(Asked asked, Function<String, JsonNode> action) {
        Optional<String> name = asked.said().text("name");
        if (name.isPresent()) {
            return action.apply(Names.box(name.get()));
        }
        for (int tries = 1; ; tries++) {
            try {
                return action.apply(Names.madeUp(taken(asked.boxes()), random));
            } catch (BoxdException e) {
                if (e.code() != ErrorCode.ALREADY_EXISTS || tries == NAMES_TO_TRY) {
                    throw e;
                }
            }
        }
    }

    private static Set<String> taken(Boxes boxes) {
        return boxes.list().stream().map(Box::name).collect(Collectors.toSet());
    }

    private JsonNode list(Asked asked) {
        Map<String, String> labels = asked.said().texts("labels");
        boolean all = asked.said().flag("all");
        ArrayNode list = Json.array();
        asked.boxes().list().stream()
                .filter(box -> all || !SHOWN_ONLY_IF_ASKED.contains(box.status()))
                .filter(box -> box.labels().entrySet().containsAll(labels.entrySet()))
                .forEach(box -> list.add(answers.box(box)));
        return list;
    }

    private JsonNode rename(Asked asked) {
        String name = Names.box(asked.said().required("name"));
        return answers.box(asked.boxes().rename(asked.said().required("box"), name));
    }

    private JsonNode label(Asked asked) {
        Box box = asked.box();
        Map<String, Optional<String>> changes = asked.said().changes("labels");
        if (changes.isEmpty()) {
            throw Failures.invalid("no label was said", "k=v puts one on, k- takes one off.");
        }
        long others = box.labels().keySet().stream()
                .filter(key -> !changes.containsKey(key))
                .count();
        return answers.box(asked.boxes().label(box.id(), Labels.changes(changes, (int) others)));
    }

    private JsonNode resize(Asked asked) {
        Box box = asked.box();
        MachineSize size = size(asked.said(), box.size());
        if (size.equals(box.size())) {
            return answers.box(box);
        }
        if (size.diskBytes() < box.size().diskBytes()) {
            throw Failures.invalid(
                    "a disk only grows: this one has " + box.size().diskBytes() + " bytes");
        }
        return answers.box(asked.boxes().resize(box.id(), size, shares.of(box), Deadline.in(Limits.MOVE)));
    }

    private JsonNode fork(Asked asked) {
        Parameters said = asked.said();
        Box source = asked.box();
        Optional<Integer> count = said.count("count", Limits.FORKS_AT_ONCE);
        Map<String, String> labels = Labels.labels(said.texts("labels"));
        Sharing sharing = shares.sharing(asked);
        String owner = asked.who().user();
        Deadline deadline = Deadline.in(Limits.MOVE);
        return withName(asked, name -> {
            List<String> names =
                    count.map(copies -> Names.numbered(name, copies)).orElse(List.of(name));
            ForkOrder order = new ForkOrder(
                    names, said.flag("paused"), labels, owner, shares.of(owner, sharing), asked.key(), sharing);
            return forked(asked.boxes().fork(source.id(), order, deadline), count.isPresent());
        });
    }

    private JsonNode forked(Forked forked, boolean many) {
        ArrayNode list = Json.array();
        for (Box box : forked.boxes()) {
            ObjectNode answer = answers.box(box);
            answer.put("pause_ms", forked.pause().toMillis());
            answer.put("ready_ms", forked.ready().toMillis());
            answer.put("dirty_bytes", forked.dirtyBytes());
            list.add(answer);
        }
        return many ? list : list.get(0);
    }

    private JsonNode idle(Asked asked) {
        Box box = asked.box();
        Duration idle = asked.said().seconds("idle_after_s").orElseThrow(() -> Failures.invalid("no time was said"));
        return answers.box(asked.boxes()
                .setSleep(box.id(), new SleepRules(idle, box.sleep().hibernateAfter())));
    }

    private static JsonNode destroy(Asked asked) {
        List<String> named = asked.said().words("boxes");
        if (named.isEmpty()) {
            throw Failures.invalid("no box was named");
        }
        ObjectNode answer = Json.object();
        ArrayNode destroyed = answer.putArray("destroyed");
        asked.boxes()
                .destroy(named, asked.said().flag("tree"), Deadline.in(Limits.MOVE))
                .forEach(destroyed::add);
        return answer;
    }
}
