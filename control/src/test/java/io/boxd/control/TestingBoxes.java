package io.boxd.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.AgentConnection;
import io.boxd.meter.Consumption;
import io.boxd.meter.Used;
import io.boxd.vmm.MachineSize;
import io.boxd.worker.Allowance;
import io.boxd.worker.Box;
import io.boxd.worker.BoxFigures;
import io.boxd.worker.Boxes;
import io.boxd.worker.CheckpointRule;
import io.boxd.worker.Claim;
import io.boxd.worker.Doorway;
import io.boxd.worker.ForkOrder;
import io.boxd.worker.Forked;
import io.boxd.worker.Hold;
import io.boxd.worker.KeptSnapshot;
import io.boxd.worker.Move;
import io.boxd.worker.Moved;
import io.boxd.worker.NewBox;
import io.boxd.worker.Origination;
import io.boxd.worker.SleepRules;
import io.boxd.worker.SnapshotOrder;
import io.boxd.worker.Status;
import io.boxd.worker.Why;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Boxes without machines, for tests of doors: what is said of them is kept in memory, and each has a real agent as a
 * process of this host, so that commands and files are real.
 */
public final class TestingBoxes implements Boxes {
    private final Map<String, TestingBox> entries = new LinkedHashMap<>();
    private final TestingKeys<List<Box>> requests = new TestingKeys<>();
    private final TestingKeys<KeptSnapshot> savings = new TestingKeys<>();
    private final List<KeptSnapshot> snapshots = new ArrayList<>();
    private final List<String> holdReasons = new ArrayList<>();
    private String consoleText = "";
    private @Nullable ErrorCode failure;
    private int number;
    private int begun;
    private int holds;
    private String address = "100.124.0.2";

    /** Boxes that are made from now on have this address. */
    public synchronized void reachedAt(String newAddress) {
        address = newAddress;
    }

    /** How many holds are open now. */
    public synchronized int openHolds() {
        return holds;
    }

    /** Waits until nobody holds any box. */
    public synchronized void awaitRest(Deadline deadline) throws InterruptedException {
        while (holds > 0) {
            assertThat(deadline.passed()).as("boxes are still held").isFalse();
            TimeUnit.NANOSECONDS.timedWait(this, deadline.leftNanos());
        }
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

    /** Everything that is asked from now on fails like this; with null, nothing does. */
    public synchronized void failWith(@Nullable ErrorCode code) {
        failure = code;
    }

    private void failIfTold() {
        ErrorCode code = failure;
        if (code != null) {
            throw new BoxdException(code, "a failure that the test wants", "Nothing is to be done.", null);
        }
    }

    private TestingBox entry(String name) {
        failIfTold();
        return entries.values().stream()
                .filter(entry ->
                        entry.box().id().equals(name) || entry.box().name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.NOT_FOUND, "there is no box '" + name + "'", "boxd list shows them.", null));
    }

    private String newId(String kind) {
        number++;
        return "%s_%012d".formatted(kind, number);
    }

    private void requireFree(String name) {
        if (entries.values().stream().anyMatch(entry -> entry.box().name().equals(name))) {
            throw new BoxdException(ErrorCode.ALREADY_EXISTS, "there is a box '" + name + "' already");
        }
    }

    @Override
    public synchronized Box create(NewBox order, Deadline deadline) {
        failIfTold();
        Optional<List<Box>> before = requests.before(order.key());
        if (before.isPresent()) {
            return before.get().getFirst();
        }
        MachineSize size = order.size().orElse(new MachineSize(1, 512L << 20, 1L << 30));
        Claim claim = new Claim("", order.owner(), order.sharing().organisation(), size);
        order.allowances().forEach(allowance -> allowance.requireBoxes(claims(), List.of(claim)));
        requireFree(order.name());
        Box box = MadeBox.of(order, newId("bx"), size, address);
        entries.put(box.id(), new TestingBox(box));
        requests.keep(order.key(), List.of(box));
        return box;
    }

    private List<Claim> claims() {
        return entries.values().stream().map(TestingBox::claim).toList();
    }

    @Override
    public synchronized Forked fork(String name, ForkOrder order, Deadline deadline) {
        Box source = entry(name).box();
        Optional<List<Box>> before = requests.before(order.key());
        if (before.isPresent()) {
            return new Forked(before.get(), Duration.ZERO, Duration.ZERO, Duration.ZERO, 0);
        }
        Claim claim = new Claim("", order.owner(), order.sharing().organisation(), source.size());
        List<Claim> more = order.names().stream().map(_ -> claim).toList();
        order.allowances().forEach(allowance -> allowance.requireBoxes(claims(), more));
        order.names().forEach(this::requireFree);
        List<Box> copies = new ArrayList<>();
        for (String copy : order.names()) {
            Box box = MadeBox.of(source, order, newId("bx"), copy);
            entries.put(box.id(), new TestingBox(box));
            copies.add(box);
        }
        requests.keep(order.key(), copies);
        return new Forked(copies, Duration.ofMillis(7), Duration.ofMillis(70), Duration.ofMillis(60), 4096);
    }

    @Override
    public synchronized List<Box> list() {
        failIfTold();
        return entries.values().stream().map(entry -> entry.box()).toList();
    }

    @Override
    public synchronized Box find(String box) {
        return entry(box).box();
    }

    private Box changed(String name, Status status, String reason) {
        TestingBox entry = entry(name);
        Box box = entry.box();
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
        TestingBox entry = entry(key);
        Box box = entry.box();
        entry.become(ChangedBox.of(box, name, status, reason, labels, size, sleep, box.cameFrom()));
        return entry.box();
    }

    @Override
    public synchronized Box rename(String key, String name) {
        requireFree(name);
        Box box = entry(key).box();
        return changed(key, name, box.status(), box.reason(), box.labels(), box.size(), box.sleep());
    }

    @Override
    public synchronized Box label(String key, Map<String, Optional<String>> changes) {
        Box box = entry(key).box();
        Map<String, String> labels = new TreeMap<>(box.labels());
        changes.forEach(
                (label, value) -> value.ifPresentOrElse(text -> labels.put(label, text), () -> labels.remove(label)));
        return changed(key, box.name(), box.status(), box.reason(), labels, box.size(), box.sleep());
    }

    @Override
    public synchronized Box resize(String key, MachineSize size, List<Allowance> allowances, Deadline deadline) {
        Box box = entry(key).box();
        return changed(key, box.name(), box.status(), box.reason(), box.labels(), size, box.sleep());
    }

    @Override
    public synchronized Box setSleep(String key, SleepRules rules) {
        Box box = entry(key).box();
        return changed(key, box.name(), box.status(), box.reason(), box.labels(), box.size(), rules);
    }

    @Override
    public synchronized Box admit(String key, UnaryOperator<Doorway> change) {
        TestingBox entry = entry(key);
        entry.become(ChangedBox.of(entry.box(), change.apply(entry.box().doorway())));
        return entry.box();
    }

    @Override
    public synchronized Hold look(String name) {
        TestingBox entry = entry(name);
        if (entry.box().status() != Status.RUNNING) {
            throw new BoxdException(ErrorCode.WRONG_STATE, name + " does not run now");
        }
        return new TestingHold(entry.box(), entry.agent(), true);
    }

    @Override
    public synchronized Moved move(String name, Move move, Deadline deadline) {
        TestingBox entry = entry(name);
        Status target = switch (move) {
            case PAUSE -> Status.STANDBY;
            case HIBERNATE -> Status.HIBERNATED;
            case STOP -> Status.STOPPED;
            case RESUME, WAKE, START, REBOOT -> Status.RUNNING;
        };
        boolean changes = entry.box().status() != target || move == Move.REBOOT;
        if (changes && entry.hasAgent()) {
            moveAgent(entry, target, move);
        }
        Box box = changed(name, target, target == Status.STOPPED ? "somebody asked for it" : "");
        return new Moved(box, changes, Duration.ofNanos(1_500_000));
    }

    private static void moveAgent(TestingBox entry, Status target, Move move) {
        AgentProcess agent = entry.agent();
        if (entry.box().status() == Status.STANDBY) {
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
        List<String> gone = new ArrayList<>(
                names.stream().map(name -> entry(name).box().id()).toList());
        for (int i = 0; tree && i < gone.size(); i++) {
            String parent = gone.get(i);
            entries.values().stream()
                    .filter(entry -> entry.box().forkedFrom().equals(Optional.of(parent)))
                    .map(entry -> entry.box().id())
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
        Optional<KeptSnapshot> before = savings.before(order.key());
        if (before.isPresent()) {
            return before.get();
        }
        String box = entry(name).box().id();
        Optional<String> parent = entry(name).box().cameFrom();
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
        savings.keep(order.key(), snapshot);
        standOn(name, snapshot.id());
        return snapshot;
    }

    private void standOn(String name, String snapshot) {
        TestingBox entry = entry(name);
        Box box = entry.box();
        entry.become(ChangedBox.of(
                box,
                box.name(),
                box.status(),
                box.reason(),
                box.labels(),
                box.size(),
                box.sleep(),
                Optional.of(snapshot)));
    }

    @Override
    public synchronized List<KeptSnapshot> snapshots(Optional<String> name) {
        failIfTold();
        Optional<String> box = name.map(key -> entry(key).box().id());
        return snapshots.stream()
                .filter(snapshot -> box.isEmpty() || snapshot.box().equals(box.get()))
                .toList();
    }

    @Override
    public synchronized KeptSnapshot findSnapshot(String key) {
        failIfTold();
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
        KeptSnapshot goal = findSnapshot(key);
        SnapshotOrder order =
                new SnapshotOrder(KeptSnapshot.Cause.LEFT, Optional.empty(), Optional.empty(), Optional.empty());
        KeptSnapshot left = snapshot(name, order, deadline);
        standOn(name, goal.id());
        return left;
    }

    @Override
    public synchronized Box promote(String fork, Deadline deadline) {
        Box box = entry(fork).box();
        String parent = box.forkedFrom()
                .orElseThrow(() -> new BoxdException(ErrorCode.WRONG_STATE, box.name() + " is no fork"));
        destroy(List.of(box.id()), false, deadline);
        return entry(parent).box();
    }

    @Override
    public Hold hold(String name, String reason, Deadline deadline) {
        AgentProcess agent;
        Box box;
        synchronized (this) {
            TestingBox entry = entry(name);
            if (entry.box().status() == Status.STOPPED || entry.box().status() == Status.FAILED) {
                throw new BoxdException(
                        ErrorCode.WRONG_STATE,
                        name + " is " + entry.box().status().wireName(),
                        "Start it: boxd start " + name,
                        null);
            }
            if (entry.box().status() != Status.RUNNING) {
                move(name, Move.WAKE, deadline);
            }
            holds++;
            holdReasons.add(reason);
            agent = entry.agent();
            box = entry.box();
        }
        agent.connect();
        return new TestingHold(box, agent, false);
    }

    /** Gives back its count once. */
    private final class TestingHold implements Hold {
        private final Box box;
        private final AgentProcess agent;
        private boolean closed;

        /** @param glances whether it keeps nobody awake */
        TestingHold(Box box, AgentProcess agent, boolean glances) {
            this.box = box;
            this.agent = agent;
            this.closed = glances;
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
                TestingBoxes.this.notifyAll();
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
        Box box = entry(name).box();
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
                        box.id(),
                        box.owner(),
                        Optional.empty(),
                        new Consumption(1_500_000_000L, 8192, 102_400, 10, 20)))
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
        entries.values().forEach(TestingBox::endAgent);
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
