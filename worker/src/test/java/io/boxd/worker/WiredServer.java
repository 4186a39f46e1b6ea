package io.boxd.worker;

import io.boxd.common.Deadline;
import io.boxd.network.TestingHost;
import io.boxd.network.Wire;
import io.boxd.network.WireConfig;
import io.boxd.network.Wires;
import io.boxd.vmm.Base;
import io.boxd.vmm.Engine;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A server with one machine on a wire, one asleep, and wires in stock, that does nothing more until it is killed. */
final class WiredServer {
    static final int STOCK = 2;

    private WiredServer() {}

    /** Arguments: home, interface to the world. Says where its machines are: range, awake, asleep. */
    public static void main(String[] arguments) throws InterruptedException {
        Path home = Path.of(arguments[0]);
        Wires wires = Wires.open(config(home, arguments[1], STOCK), Deadline.inSeconds(60));
        MachineWires uplinks = new MachineWires(wires);
        SqliteRecord record = SqliteRecord.open(home.resolve("record.db"));
        Engine engine = WorkerHouse.open(home, WorkerHouse.cache(), TestingHost.REGISTRY, record, uplinks);
        Base base = WorkerHouse.base(engine, WorkerHouse.cache());
        Wire awake = uplinks.of(start(engine, base, "awake"));
        Machine sleeper = start(engine, base, "asleep");
        Wire asleep = uplinks.of(sleeper);
        var _ = wires.watch(asleep, knock -> {});
        var _ = engine.hibernate(sleeper, Deadline.inSeconds(60));
        wires.awaitPool(Deadline.inSeconds(60));
        try (PrintStream out =
                new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8)) {
            out.println(String.join(
                    " ",
                    wires.range().toString(),
                    awake.address().getHostAddress(),
                    asleep.address().getHostAddress()));
            new CountDownLatch(1).await();
        }
    }

    static WireConfig config(Path home, String uplink, int pool) {
        WireConfig defaults = WireConfig.of(home, TestingHost.REGISTRY, pool);
        return new WireConfig(
                home,
                defaults.registry(),
                defaults.range(),
                pool,
                List.of(uplink),
                List.of(),
                defaults.resolverPort(),
                defaults.connections());
    }

    private static Machine start(Engine engine, Base base, String name) {
        Machine machine = engine.start(base, Identity.fresh(name, 1), Deadline.inSeconds(60));
        NamePage.serve(machine);
        WorkerHouse.sh(machine, "setsid ping " + TestingHost.WORLD + " </dev/null >/dev/null 2>&1 &");
        return machine;
    }
}
