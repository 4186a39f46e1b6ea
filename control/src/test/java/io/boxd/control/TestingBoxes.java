package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.AgentConnection;
import io.boxd.meter.Consumption;
import io.boxd.meter.Used;
import io.boxd.vmm.MachineSize;
import io.boxd.worker.Box;
import io.boxd.worker.BoxFigures;
import io.boxd.worker.Boxes;
import io.boxd.worker.CheckpointRule;
import io.boxd.worker.ForkOrder;
import io.boxd.worker.Forked;
import io.boxd.worker.Hold;
import io.boxd.worker.KeptSnapshot;
import io.boxd.worker.Move;
import io.boxd.worker.Moved;
import io.boxd.worker.NewBox;
import io.boxd.worker.Origination;
import io.boxd.worker.RequestKey;
import io.boxd.worker.SleepRules;
import io.boxd.worker.SnapshotOrder;
import io.boxd.worker.Status;
import io.boxd.worker.Why;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Boxes without machines, for tests of doors: what is said of them is kept in memory, and each has a real agent as a
 * process of this host, so that commands and files are real.
 */
public final class TestingBoxes implements Boxes {
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final Map<RequestKey, List<Box>> requests = new HashMap<>();
    private final List<KeptSnapshot> snapshots = new ArrayList<>();
    private final List<String> holdReasons = new ArrayList<>();
    private String consoleText = "";
    private int number;
    private int begun;
    private int holds;

    private static final class Entry {
        private Box box;
        private @Nullable AgentProcess agent;

        Entry(Box box) {
            this.box = box;
        }

        AgentProcess agent() {
            AgentProcess running = agent == null ? AgentProcess.start() : agent;
            agent = running;
            return running;
        }

        void endAgent() {
            if (agent != null) {
                agent.close();
                agent = null;
            }
        }
    }

    /** How many holds are open now. */
    public synchronized int openHolds() {
        return holds;
    }

    /** Why boxes were held, in order. */
    public synchronized List<String> holdReasons() {
        return List.copyOf(holdReasons);
    }

    /** How often a command was begun that keeps its box awake. */
    public synchronized int commandsBegun() {
        return begun;
    }

    public synchronized void setConsole(String text) {
        consoleText = text;
    }

    private Entry entry(String name) {
        return entries.values().stream()
                .filter(entry -> entry.box.id().equals(name) || entry.box.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.NOT_FOUND, "there is no box '" + name + "'", "boxd list shows them.", null));
    }

    private String newId(String kind) {
        number++;
        return "%s_%012d".formatted(kind, number);
    }

    private void requireFree(String name) {
        if (entries.values().stream().anyMatch(entry -> entry.box.name().equals(name))) {
            throw new BoxdException(ErrorCode.ALREADY_EXISTS, "there is a box '" + name + "' already");
        }
    }

    @Override
    public synchronized Box create(NewBox order, Deadline deadline) {
        Optional<List<Box>> before = before(order.key());
        if (before.isPresent()) {
            return before.get().getFirst();
        }
        MachineSize size = order.size().orElse(new MachineSize(1, 512L << 20, 1L << 30));
        order.allowances().forEach(allowance -> allowance.require(sizes(), List.of(size)));
        requireFree(order.name());
        Instant now = Instant.now();
        Box box = new Box(
                newId("bx"),
                order.name(),
                order.untilReady() ? Status.RUNNING : Status.STARTING,
                "",
                order.origin() instanceof Origination.FromImage(String image) ? image : "base",
                order.origin(),
                Optional.empty(),
                now,
                order.timeToLive().map(now::plus),
                order.labels(),
                order.environment(),
                size,
                order.sleep(),
                order.checkpoints(),
                Optional.of("100.124.0.2"),
                11,
                12,
                order.owner(),
                order.sharing());
        entries.put(box.id(), new Entry(box));
        order.key().ifPresent(key -> requests.put(key, List.of(box)));
        return box;
    }

    private List<MachineSize> sizes() {
        return entries.values().stream().map(entry -> entry.box.size()).toList();
    }

    private Optional<List<Box>> before(Optional<RequestKey> key) {
        return key.map(requests::get);
    }

    @Override
    public synchronized Forked fork(String name, ForkOrder order, Deadline deadline) {
        Box source = entry(name).box;
        Optional<List<Box>> before = before(order.key());
        if (before.isPresent()) {
            return new Forked(before.get(), Duration.ZERO, Duration.ZERO, 0);
        }
        List<MachineSize> more = order.names().stream().map(_ -> source.size()).toList();
        order.allowances().forEach(allowance -> allowance.require(sizes(), more));
        order.names().forEach(this::requireFree);
        List<Box> copies = new ArrayList<>();
        for (String copy : order.names()) {
            Map<String, String> labels = new TreeMap<>(source.labels());
            labels.putAll(order.labels());
            Box box = new Box(
                    newId("bx"),
                    copy,
                    order.paused() ? Status.STANDBY : Status.RUNNING,
                    "",
                    source.image(),
                    new Origination.FromBox(source.id()),
                    Optional.of(source.id()),
                    Instant.now(),
                    Optional.empty(),
                    labels,
                    source.environment(),
                    source.size(),
                    source.sleep(),
                    source.checkpoints(),
                    Optional.of("100.124.0.3"),
                    21,
                    22,
                    order.owner(),
                    order.sharing());
            entries.put(box.id(), new Entry(box));
            copies.add(box);
        }
        order.key().ifPresent(key -> requests.put(key, copies));
        return new Forked(copies, Duration.ofMillis(7), Duration.ofMillis(70), 4096);
    }

    @Override
    public synchronized List<Box> list() {
        return entries.values().stream().map(entry -> entry.box).toList();
    }

    @Override
    public synchronized Box find(String box) {
        return entry(box).box;
    }

    private Box changed(String name, Status status, String reason) {
        Entry entry = entry(name);
        Box box = entry.box;
        return changed(name, box.name(), status, reason, box.labels(), box.size(), box.sleep());
    }

    private Box changed(
            String key,
            String name,
            Status status,
            String reason,
            Map<String, String> labels,
            MachineSize size,
            SleepRules sleep) {
        Entry entry = entry(key);
        Box box = entry.box;
        entry.box = new Box(
                box.id(),
                name,
                status,
                reason,
                box.image(),
                box.origin(),
                box.forkedFrom(),
                box.createdAt(),
                box.expiresAt(),
                labels,
                box.environment(),
                size,
                sleep,
                box.checkpoints(),
                box.address(),
                box.createMillis(),
                box.readyMillis(),
                box.owner(),
                box.sharing());
        return entry.box;
    }

    @Override
    public synchronized Box rename(String key, String name) {
        requireFree(name);
        Box box = entry(key).box;
        return changed(key, name, box.status(), box.reason(), box.labels(), box.size(), box.sleep());
    }

    @Override
    public synchronized Box label(String key, Map<String, Optional<String>> changes) {
        Box box = entry(key).box;
        Map<String, String> labels = new TreeMap<>(box.labels());
        changes.forEach(
                (label, value) -> value.ifPresentOrElse(text -> labels.put(label, text), () -> labels.remove(label)));
        return changed(key, box.name(), box.status(), box.reason(), labels, box.size(), box.sleep());
    }

    @Override
    public synchronized Box resize(String key, MachineSize size, Deadline deadline) {
        Box box = entry(key).box;
        return changed(key, box.name(), box.status(), box.reason(), box.labels(), size, box.sleep());
    }

    @Override
    public synchronized Box setSleep(String key, SleepRules rules) {
        Box box = entry(key).box;
        return changed(key, box.name(), box.status(), box.reason(), box.labels(), box.size(), rules);
    }

    @Override
    public synchronized Moved move(String name, Move move, Deadline deadline) {
        Entry entry = entry(name);
        Status target = switch (move) {
            case PAUSE -> Status.STANDBY;
            case HIBERNATE -> Status.HIBERNATED;
            case STOP -> Status.STOPPED;
            case RESUME, WAKE, START, REBOOT -> Status.RUNNING;
        };
        boolean changes = entry.box.status() != target || move == Move.REBOOT;
        if (changes && entry.agent != null) {
            moveAgent(entry, target, move);
        }
        Box box = changed(name, target, target == Status.STOPPED ? "somebody asked for it" : "");
        return new Moved(box, changes, Duration.ofNanos(1_500_000));
    }

    private static void moveAgent(Entry entry, Status target, Move move) {
        AgentProcess agent = entry.agent();
        if (entry.box.status() == Status.STANDBY) {
            agent.thaw();
        }
        if (target == Status.STANDBY) {
            agent.freeze();
        } else if (target == Status.HIBERNATED) {
            agent.disconnect();
        } else if (target == Status.STOPPED || move == Move.REBOOT) {
            entry.endAgent();
        }
    }

    @Override
    public synchronized List<String> destroy(List<String> names, boolean tree, Deadline deadline) {
        List<String> gone =
                new ArrayList<>(names.stream().map(name -> entry(name).box.id()).toList());
        for (int i = 0; tree && i < gone.size(); i++) {
            String parent = gone.get(i);
            entries.values().stream()
                    .filter(entry -> entry.box.forkedFrom().equals(Optional.of(parent)))
                    .map(entry -> entry.box.id())
                    .filter(id -> !gone.contains(id))
                    .forEach(gone::add);
        }
        for (String id : gone) {
            entry(id).endAgent();
            entries.remove(id);
        }
        return gone;
    }

    @Override
    public synchronized KeptSnapshot snapshot(String name, SnapshotOrder order, Deadline deadline) {
        String box = entry(name).box.id();
        Optional<String> parent = snapshots.stream()
                .filter(snapshot -> snapshot.box().equals(box))
                .map(KeptSnapshot::id)
                .reduce((_, later) -> later);
        KeptSnapshot snapshot = new KeptSnapshot(
                newId("sn"),
                box,
                order.cause(),
                order.label(),
                parent,
                order.execution(),
                order.command(),
                Instant.now(),
                1000,
                2000);
        snapshots.add(snapshot);
        return snapshot;
    }

    @Override
    public synchronized List<KeptSnapshot> snapshots(Optional<String> name) {
        Optional<String> box = name.map(key -> entry(key).box.id());
        return snapshots.stream()
                .filter(snapshot -> box.isEmpty() || snapshot.box().equals(box.get()))
                .toList();
    }

    @Override
    public synchronized KeptSnapshot findSnapshot(String key) {
        return snapshots.stream()
                .filter(snapshot ->
                        snapshot.id().equals(key) || snapshot.label().equals(Optional.of(key)))
                .findFirst()
                .orElseThrow(() -> new BoxdException(ErrorCode.NOT_FOUND, "there is no snapshot '" + key + "'"));
    }

    @Override
    public synchronized void forgetSnapshot(String key) {
        snapshots.remove(findSnapshot(key));
    }

    @Override
    public synchronized KeptSnapshot rollback(String name, String key, Deadline deadline) {
        findSnapshot(key);
        SnapshotOrder left =
                new SnapshotOrder(KeptSnapshot.Cause.LEFT, Optional.empty(), Optional.empty(), Optional.empty());
        return snapshot(name, left, deadline);
    }

    @Override
    public synchronized Box promote(String fork, Deadline deadline) {
        Box box = entry(fork).box;
        String parent = box.forkedFrom()
                .orElseThrow(() -> new BoxdException(ErrorCode.WRONG_STATE, box.name() + " is no fork"));
        destroy(List.of(box.id()), false, deadline);
        return entry(parent).box;
    }

    @Override
    public Hold hold(String name, String reason, Deadline deadline) {
        AgentProcess agent;
        Box box;
        synchronized (this) {
            Entry entry = entry(name);
            if (entry.box.status() == Status.STOPPED || entry.box.status() == Status.FAILED) {
                throw new BoxdException(
                        ErrorCode.WRONG_STATE,
                        name + " is " + entry.box.status().wireName(),
                        "Start it: boxd start " + name,
                        null);
            }
            if (entry.box.status() != Status.RUNNING) {
                move(name, Move.WAKE, deadline);
            }
            holds++;
            holdReasons.add(reason);
            agent = entry.agent();
            box = entry.box;
        }
        agent.connect();
        return new TestingHold(box, agent);
    }

    /** Gives back its count once. */
    private final class TestingHold implements Hold {
        private final Box box;
        private final AgentProcess agent;
        private boolean closed;

        TestingHold(Box box, AgentProcess agent) {
            this.box = box;
            this.agent = agent;
        }

        @Override
        public Box box() {
            return box;
        }

        @Override
        public AgentConnection agent() {
            return agent.connect();
        }

        @Override
        public void touch() {}

        @Override
        public void close() {
            synchronized (TestingBoxes.this) {
                holds -= closed ? 0 : 1;
                closed = true;
            }
        }
    }

    @Override
    public synchronized void commandBegun(String box) {
        entry(box);
        begun++;
    }

    @Override
    public synchronized Instant busy(String box, Duration time, Deadline deadline) {
        move(box, Move.WAKE, deadline);
        return Instant.now().plus(time);
    }

    @Override
    public synchronized Why why(String name) {
        Box box = entry(name).box;
        return new Why(
                box,
                box.createdAt(),
                "nobody put it to sleep",
                List.of(new Why.Source(Why.Kind.HOLDS, holds > 0, String.join(", ", holdReasons), Duration.ZERO)),
                box.sleep().idleAfter().isZero()
                        ? Optional.empty()
                        : Optional.of(box.sleep().idleAfter()));
    }

    @Override
    public synchronized List<BoxFigures> figures() {
        return list().stream()
                .map(box -> new BoxFigures(box, 12.34, 5_000_000, 10, 20, Duration.ofSeconds(3)))
                .toList();
    }

    @Override
    public List<Used> used(Instant since) {
        return list().stream()
                .map(box -> new Used(
                        box.id(), "local", Optional.empty(), new Consumption(1_500_000_000L, 8192, 102_400, 10, 20)))
                .toList();
    }

    @Override
    public int spareMachines() {
        return 0;
    }

    @Override
    public synchronized String console(String box) {
        entry(box);
        return consoleText;
    }

    @Override
    public synchronized void hibernateAll(Deadline deadline) {
        list().forEach(box -> move(box.id(), Move.HIBERNATE, deadline));
    }

    @Override
    public synchronized void close() {
        entries.values().forEach(Entry::endAgent);
    }

    /** One that runs, for tests that need just any. */
    public Box add(String name) {
        return create(
                new NewBox(
                        name,
                        new Origination.FromImage("base"),
                        Optional.empty(),
                        Map.of("FROM_BOX", "yes"),
                        Map.of(),
                        new SleepRules(Duration.ofSeconds(30), Duration.ofMinutes(10)),
                        new CheckpointRule.Off(),
                        Optional.empty(),
                        true),
                Deadline.inSeconds(10));
    }
}
