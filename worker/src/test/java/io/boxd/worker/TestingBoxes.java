package io.boxd.worker;

import io.boxd.common.Deadline;
import io.boxd.guest.CommandOutput;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.ExitStatus;
import io.boxd.linux.FileOwner;
import io.boxd.network.Wires;
import io.boxd.vmm.Accelerator;
import io.boxd.vmm.EngineConfig;
import io.boxd.vmm.MachineSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The boxes of a host made for one test, which can be opened again and again. */
final class TestingBoxes implements AutoCloseable {
    static final MachineSize SMALL = new MachineSize(1, 256 * MachineSize.MIB, 256 * MachineSize.MIB);
    static final SleepRules AWAKE = new SleepRules(Duration.ZERO, Duration.ZERO);

    private final Path home;
    private final Supplier<Optional<Wires>> cables;
    private Optional<Wires> wires;
    private WorkerConfig config;
    private final TestingWitness witness = new TestingWitness();
    private HostView host = HostView.real();
    private HostBoxes boxes;

    private TestingBoxes(Path home, Path registry, Supplier<Optional<Wires>> cables) {
        this.home = home;
        this.cables = cables;
        this.wires = cables.get();
        this.config = config(home, registry, WorkerHouse.cache());
        this.boxes = HostBoxes.open(config, wires, host, witness, soon());
    }

    static TestingBoxes open() {
        try {
            Path home = Files.createTempDirectory("boxd-test-");
            return new TestingBoxes(home, home.resolve("registry"), Optional::empty);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** With a network, in its home. */
    static TestingBoxes open(Path home, Path registry, Supplier<Wires> cables) {
        return new TestingBoxes(home, registry, () -> Optional.of(cables.get()));
    }

    static WorkerConfig config(Path home, Path registry, Path cache) {
        return new WorkerConfig(
                new EngineConfig(
                        home,
                        cache,
                        registry,
                        WorkerHouse.REPOSITORY.resolve("target/release/boxd-launcher"),
                        WorkerHouse.REPOSITORY.resolve("target/shared/release/libboxd_readonly_base.so")),
                WorkerHouse.REPOSITORY.resolve("target/release/boxd-agent"),
                Accelerator.TCG,
                "tiny",
                SMALL,
                Limits.standard(),
                256L << 20,
                WorkerConfig.QUIET_CPU_PERCENT,
                0);
    }

    static Deadline soon() {
        return Deadline.inSeconds(180);
    }

    HostBoxes boxes() {
        return boxes;
    }

    /** What was told of boxes. */
    TestingWitness witness() {
        return witness;
    }

    Wires wires() {
        return wires.orElseThrow();
    }

    Path home() {
        return home;
    }

    /** The next server on this host. */
    HostBoxes reopen() {
        boxes.close();
        wires.ifPresent(Wires::close);
        wires = cables.get();
        boxes = HostBoxes.open(config, wires, host, witness, soon());
        return boxes;
    }

    /** The next server, as on a host that is like this. */
    HostBoxes reopen(HostView other) {
        host = other;
        return reopen();
    }

    HostBoxes reopen(WorkerConfig other) {
        config = other;
        return reopen();
    }

    WorkerConfig config() {
        return config;
    }

    Box create(String name) {
        return create(name, AWAKE);
    }

    Box create(String name, SleepRules sleep) {
        return boxes.create(order(name, sleep), soon());
    }

    static NewBox order(String name, SleepRules sleep) {
        return new NewBox(
                name,
                new Origination.FromImage("tiny"),
                Optional.of(SMALL),
                Map.of(),
                Map.of(),
                sleep,
                new CheckpointRule.Off(),
                Optional.empty(),
                true);
    }

    Box fork(String box, String name) {
        return boxes.fork(box, new ForkOrder(List.of(name), false, Map.of()), soon())
                .boxes()
                .getFirst();
    }

    Moved move(String box, Move move) {
        return boxes.move(box, move, soon());
    }

    /** Runs a shell command that must succeed and returns what it printed. */
    String sh(String box, String command) {
        return sh(boxes, box, command);
    }

    static String sh(Boxes boxes, String box, String command) {
        try (Hold hold = boxes.hold(box, "a test", soon())) {
            CommandOutput output =
                    hold.agent().run(ExecRequest.argv("/bin/sh", "-c", command), Deadline.inSeconds(120));
            if (!output.status().equals(new ExitStatus.Exited(0))) {
                throw new AssertionError(
                        command + " → " + output.status() + "\n" + output.stdoutText() + output.stderrText());
            }
            return output.stdoutText().strip();
        }
    }

    Status status(String box) {
        return boxes.find(box).status();
    }

    void awaitStatus(String box, Status status) {
        await(box + " to be " + status, () -> status(box) == status);
    }

    static void await(String what, BooleanSupplier condition) {
        Deadline deadline = soon();
        while (!condition.getAsBoolean()) {
            if (deadline.passed()) {
                throw deadline.exceeded(what);
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    @Override
    public void close() {
        try {
            List<String> all = boxes.list().stream().map(Box::id).toList();
            boxes.snapshots(Optional.empty()).forEach(kept -> boxes.forgetSnapshot(kept.id()));
            boxes.destroy(all, false, soon());
        } finally {
            boxes.close();
            if (wires.isEmpty()) {
                FileOwner.deleteTree(home);
            }
        }
    }
}
