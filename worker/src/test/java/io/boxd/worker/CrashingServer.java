package io.boxd.worker;

import io.boxd.common.Deadline;
import io.boxd.vmm.Base;
import io.boxd.vmm.Engine;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import io.boxd.vmm.Snapshot;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * A server that does one random thing after the other until it is killed, and says what it begins and
 * what it has acknowledged.
 */
final class CrashingServer {
    /** Each line leaves at once: what was said holds, however suddenly the end comes. */
    private static final PrintStream JOURNAL =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);

    private static final int MOST_MACHINES = 3;
    private static final int MOST_SNAPSHOTS = 3;

    /** A machine with more layers than this is flattened as soon as nobody wants anything. */
    static final int LONG_CHAIN = 18;

    private final SqliteRecord record;
    private final Engine engine;
    private final Base base;
    private final Random random;
    private final Map<String, Machine> machines = new LinkedHashMap<>();
    private final List<Snapshot> snapshots = new ArrayList<>();

    private CrashingServer(SqliteRecord record, Engine engine, Base base, Random random) {
        this.record = record;
        this.engine = engine;
        this.base = base;
        this.random = random;
        engine.found().machines().forEach(this::add);
        snapshots.addAll(engine.snapshots());
    }

    /** Arguments: home, cache, seed. */
    public static void main(String[] arguments) {
        Path home = Path.of(arguments[0]);
        Path cache = Path.of(arguments[1]);
        SqliteRecord record = SqliteRecord.open(home.resolve("record.db"));
        Engine engine = WorkerHouse.open(home, cache, record);
        CrashingServer server = new CrashingServer(
                record, engine, WorkerHouse.base(engine, cache), new Random(Long.parseLong(arguments[2])));
        say("ready");
        while (true) {
            server.act();
        }
    }

    private static void say(String line) {
        JOURNAL.println(line);
    }

    private static Deadline soon() {
        return Deadline.inSeconds(120);
    }

    private void act() {
        switch (random.nextInt(11)) {
            case 0, 1 -> start();
            case 2 -> fork();
            case 3, 4 -> snapshot();
            case 5 -> hibernate();
            case 6 -> wake();
            case 7 -> rollback();
            case 8 -> mark(any());
            case 9 -> flatten();
            default -> remove();
        }
    }

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    private void add(Machine machine) {
        machines.put(machine.identity().machineId(), machine);
    }

    private Machine any() {
        if (machines.isEmpty()) {
            start();
        }
        return pick(new ArrayList<>(machines.values()));
    }

    private void start() {
        if (machines.size() >= MOST_MACHINES) {
            return;
        }
        Identity identity = Identity.fresh("box", 1);
        say("begin new " + identity.machineId());
        Machine machine = engine.start(base, identity, soon());
        say("new " + identity.machineId());
        add(machine);
        mark(machine);
    }

    private void mark(Machine machine) {
        int value = 1 + random.nextInt(1_000_000);
        String id = machine.identity().machineId();
        say("begin mark " + id + " " + value);
        WorkerHouse.sh(machine, "echo " + value + " > /tmp/mark; echo " + value + " > /data/mark; sync");
        say("mark " + id + " " + value);
    }

    private void fork() {
        if (machines.size() >= MOST_MACHINES) {
            return;
        }
        Machine source = any();
        Identity identity = Identity.fresh("fork", 1);
        say("begin fork " + source.identity().machineId() + " " + identity.machineId());
        Machine child =
                engine.fork(source, List.of(identity), soon()).machines().getFirst();
        say("fork " + source.identity().machineId() + " " + identity.machineId());
        add(child);
    }

    private void snapshot() {
        if (snapshots.size() >= MOST_SNAPSHOTS) {
            return;
        }
        Machine machine = any();
        say("begin snapshot " + machine.identity().machineId());
        Snapshot snapshot = engine.snapshot(machine, soon()).snapshot();
        say("snapshot " + machine.identity().machineId() + " " + snapshot.id());
        snapshots.add(snapshot);
    }

    /** Starts a machine on a long chain of layers, if a snapshot has one, and leaves it to be flattened. */
    private void flatten() {
        if (machines.size() >= MOST_MACHINES) {
            return;
        }
        snapshots.stream().filter(this::isDeep).findFirst().ifPresent(deep -> {
            Identity identity = Identity.fresh("deep", 1);
            say("begin wake " + identity.machineId() + " " + deep.id());
            Machine machine = engine.start(deep, identity, soon());
            say("wake " + identity.machineId() + " " + deep.id());
            add(machine);
            // What a machine does by itself disturbs nobody, and is what flattening must bear.
            WorkerHouse.sh(machine, "usleep 600000");
            mark(machine);
        });
    }

    private boolean isDeep(Snapshot snapshot) {
        return record.rows().snapshots().stream()
                .anyMatch(row -> row.id().equals(snapshot.id()) && row.layers().size() > LONG_CHAIN);
    }

    private void hibernate() {
        if (snapshots.size() >= MOST_SNAPSHOTS) {
            return;
        }
        Machine machine = any();
        String id = machine.identity().machineId();
        say("begin hibernate " + id);
        Snapshot snapshot = engine.hibernate(machine, soon()).snapshot();
        say("hibernate " + id + " " + snapshot.id());
        machines.remove(id);
        snapshots.add(snapshot);
    }

    private void wake() {
        List<Snapshot> sleeping = snapshots.stream()
                .filter(snapshot -> !machines.containsKey(snapshot.identity().machineId()))
                .toList();
        if (sleeping.isEmpty() || machines.size() >= MOST_MACHINES) {
            return;
        }
        Snapshot snapshot = pick(sleeping);
        String id = snapshot.identity().machineId();
        say("begin wake " + id + " " + snapshot.id());
        Machine machine = engine.start(snapshot, snapshot.identity().next(), soon());
        say("wake " + id + " " + snapshot.id());
        add(machine);
    }

    private void rollback() {
        List<Snapshot> usable = snapshots.stream()
                .filter(snapshot -> machines.containsKey(snapshot.identity().machineId()))
                .toList();
        if (usable.isEmpty()) {
            return;
        }
        Snapshot snapshot = pick(usable);
        String id = snapshot.identity().machineId();
        say("begin rollback " + id + " " + snapshot.id());
        add(engine.rollback(Objects.requireNonNull(machines.get(id)), snapshot, soon()));
        say("rollback " + id + " " + snapshot.id());
    }

    private void remove() {
        List<Snapshot> shallow =
                snapshots.stream().filter(snapshot -> !isDeep(snapshot)).toList();
        if (!shallow.isEmpty() && random.nextBoolean()) {
            Snapshot snapshot = pick(shallow);
            say("begin forget " + snapshot.id());
            engine.forget(snapshot);
            say("forget " + snapshot.id());
            snapshots.remove(snapshot);
        } else if (machines.size() > 1) {
            Machine machine = any();
            String id = machine.identity().machineId();
            say("begin destroy " + id);
            machine.close();
            say("destroy " + id);
            machines.remove(id);
        }
    }
}
