package io.boxd.worker;

import io.boxd.common.Deadline;
import io.boxd.guest.CommandOutput;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.ExitStatus;
import io.boxd.guest.image.Image;
import io.boxd.guest.image.ImageRecipe;
import io.boxd.guest.image.ImageStore;
import io.boxd.network.TestingHost;
import io.boxd.network.Wire;
import io.boxd.network.Wires;
import io.boxd.vmm.Accelerator;
import io.boxd.vmm.Base;
import io.boxd.vmm.Engine;
import io.boxd.vmm.EngineConfig;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import io.boxd.vmm.MachineSize;
import io.boxd.vmm.TransientRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Real machines on real wires that lead to a world made for the test. */
final class TestingMachines implements AutoCloseable {
    private static final Path REPOSITORY = repository();

    private final TestingHost host;
    private final Wires wires;
    private final MachineWires machineWires;
    private final Engine engine;
    private final ImageStore images;
    private final List<Machine> machines = new ArrayList<>();

    private TestingMachines(TestingHost host, Wires wires) {
        this.host = host;
        this.wires = wires;
        this.machineWires = new MachineWires(wires);
        Path cache = Path.of(System.getProperty("boxd.image.cache", "/var/cache/boxd"));
        this.images = new ImageStore(cache);
        EngineConfig config = new EngineConfig(
                host.home(),
                cache,
                TestingHost.REGISTRY,
                release("boxd-launcher"),
                REPOSITORY.resolve("target/shared/release/libboxd_readonly_base.so"));
        this.engine = Engine.open(config, new TransientRecord(), machineWires, Accelerator.TCG, Deadline.inSeconds(60));
    }

    static TestingMachines open(TestingHost host, Wires wires) {
        return new TestingMachines(host, wires);
    }

    TestingHost host() {
        return host;
    }

    Wires wires() {
        return wires;
    }

    Engine engine() {
        return engine;
    }

    Wire wire(Machine machine) {
        return machineWires.of(machine);
    }

    Base tiny() {
        return base(ImageRecipe.tiny(), new MachineSize(1, 256 * MachineSize.MIB, 256 * MachineSize.MIB));
    }

    Base debian() {
        return base(ImageRecipe.base(), new MachineSize(2, MachineSize.GIB, 100 * MachineSize.GIB));
    }

    private Base base(ImageRecipe recipe, MachineSize size) {
        Image image = images.obtain(recipe, release("boxd-agent"), line -> {}, Deadline.inSeconds(900));
        return engine.base(image, size, line -> {}, Deadline.inSeconds(300));
    }

    Machine start(Base base) {
        Machine machine = engine.start(base, Identity.fresh("test", 1), Deadline.inSeconds(60));
        machines.add(machine);
        return machine;
    }

    Machine fork(Machine source) {
        Machine machine = engine.fork(source, List.of(Identity.fresh("fork", 2)), Deadline.inSeconds(120))
                .machines()
                .getFirst();
        machines.add(machine);
        return machine;
    }

    /** Runs a shell command that must succeed and returns what it printed. */
    static String sh(Machine machine, String command) {
        CommandOutput output = run(machine, command);
        if (!output.status().equals(new ExitStatus.Exited(0))) {
            throw new AssertionError(
                    command + " → " + output.status() + "\n" + output.stdoutText() + output.stderrText());
        }
        return output.stdoutText().strip();
    }

    static CommandOutput run(Machine machine, String command) {
        return machine.agent().run(ExecRequest.argv("/bin/sh", "-c", command), Deadline.inSeconds(60));
    }

    private static Path release(String name) {
        return REPOSITORY.resolve("target/release").resolve(name);
    }

    private static Path repository() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.isDirectory(folder.resolve(".mvn"))) {
                return folder;
            }
        }
        throw new IllegalStateException("no folder with .mvn above the working directory");
    }

    /** Ends the machines and the engine; wires and world are closed by their owner. */
    @Override
    public void close() {
        machines.reversed().forEach(Machine::close);
        engine.close();
    }
}
