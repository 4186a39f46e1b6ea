package io.boxd.worker;

import io.boxd.common.Deadline;
import io.boxd.guest.CommandOutput;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.image.Image;
import io.boxd.guest.image.ImageRecipe;
import io.boxd.guest.image.ImageStore;
import io.boxd.network.TestingHost;
import io.boxd.network.Wire;
import io.boxd.network.Wires;
import io.boxd.vmm.Base;
import io.boxd.vmm.Engine;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import io.boxd.vmm.MachineSize;
import io.boxd.vmm.Snapshot;
import io.boxd.vmm.TransientRecord;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Real machines on real wires that lead to a world made for the test. */
final class TestingMachines implements AutoCloseable {
    private final TestingHost host;
    private final Wires wires;
    private final MachineWires machineWires;
    private final Engine engine;
    private final ImageStore images;
    private final List<Machine> machines = new CopyOnWriteArrayList<>();

    private TestingMachines(TestingHost host, Wires wires) {
        this.host = host;
        this.wires = wires;
        this.machineWires = new MachineWires(wires);
        this.images = new ImageStore(WorkerHouse.cache());
        this.engine = WorkerHouse.open(
                host.home(), WorkerHouse.cache(), TestingHost.REGISTRY, new TransientRecord(), machineWires);
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
        return WorkerHouse.base(engine, WorkerHouse.cache());
    }

    Base debian() {
        Image image = images.obtain(
                ImageRecipe.base(),
                WorkerHouse.REPOSITORY.resolve("target/release/boxd-agent"),
                line -> {},
                Deadline.inSeconds(900));
        MachineSize size = new MachineSize(2, MachineSize.GIB, 100 * MachineSize.GIB);
        return engine.base(image, size, line -> {}, Deadline.inSeconds(300));
    }

    Machine start(Base base) {
        Machine machine = engine.start(base, Identity.fresh("test", 1), Deadline.inSeconds(60));
        machines.add(machine);
        return machine;
    }

    Machine wake(Snapshot snapshot) {
        Machine machine = engine.start(snapshot, snapshot.identity().next(), Deadline.inSeconds(60));
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

    static CommandOutput run(Machine machine, String command) {
        return machine.agent().run(ExecRequest.argv("/bin/sh", "-c", command), Deadline.inSeconds(60));
    }

    /** Ends the machines; others can be started. */
    void endAll() {
        List<Machine> last = machines.reversed();
        last.forEach(Machine::close);
        machines.removeAll(List.copyOf(last));
    }

    /** Ends the machines and the engine; wires and world are closed by their owner. */
    @Override
    public void close() {
        try {
            endAll();
        } finally {
            engine.close();
        }
    }
}
