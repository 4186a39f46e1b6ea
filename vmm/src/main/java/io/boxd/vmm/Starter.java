package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.AgentConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Turns a husk into a running machine that has renewed its identity, or into nothing. */
final class Starter {
    private final MemoryCopier copier;
    private final LayerStore layers;
    private final Renewer renewer;
    private final MachineBook book;

    Starter(MemoryCopier copier, LayerStore layers, Renewer renewer, MachineBook book) {
        this.copier = copier;
        this.layers = layers;
        this.renewer = renewer;
        this.book = book;
    }

    /** A new machine from the base of its husk. */
    Machine start(Husk husk, Identity identity, Deadline deadline) {
        return startMapped(husk, deviceState(husk.base()), identity, deadline);
    }

    /** A new machine whose memory and disk the husk has already. */
    Machine startMapped(Husk husk, byte[] deviceState, Identity identity, Deadline deadline) {
        return run(husk, () -> husk.load(deviceState, deadline), husk.base().layers(), identity, deadline);
    }

    /** A new machine from an instant of another: pages first, devices after, since those look at them. */
    Machine start(Husk husk, Instant instant, Identity identity, Deadline deadline) {
        return run(
                husk,
                () -> {
                    CompletableFuture<Void> injected = CompletableFuture.runAsync(
                            () -> husk.inject(instant.runs(), instant.pages(), copier), Thread::startVirtualThread);
                    husk.retarget(instant.layers(), deadline);
                    husk.cell().qmp().await(injected, "copying memory", deadline);
                    husk.load(instant.deviceState(), deadline);
                },
                instant.layers(),
                identity,
                deadline);
    }

    /** Lets a warmed machine go, under an identity of its own. */
    Machine wake(Machine warm, Identity identity, Deadline deadline) {
        try {
            warm.proceed(deadline);
            renew(warm, identity, deadline);
            return warm;
        } catch (RuntimeException e) {
            warm.close();
            throw e;
        }
    }

    void renew(Machine machine, Identity identity, Deadline deadline) {
        renewer.renew(machine.agent(), identity, deadline);
        machine.become(identity);
    }

    private Machine run(Husk husk, Runnable load, List<Layer> below, Identity identity, Deadline deadline) {
        MachineDisk disk =
                MachineDisk.withEmptyTop(husk.cell(), layers, husk.base().size().diskBytes(), below, husk.top());
        try {
            load.run();
            husk.cell().qmp().execute("cont", deadline);
            AgentConnection agent = AgentConnection.open(husk.cell().freshAgentChannel(), deadline);
            renewer.renew(agent, identity, deadline);
            return new Machine(husk.cell(), husk.base(), disk, identity, agent, false, renewer, book);
        } catch (RuntimeException e) {
            // Fail closed: a machine that did not prove its new identity is offered to nobody.
            husk.close();
            disk.release();
            throw e;
        }
    }

    private static byte[] deviceState(Base base) {
        try {
            return Files.readAllBytes(base.deviceState()
                    .orElseThrow(() -> new BoxdException(
                            ErrorCode.WRONG_STATE, "base " + base.id() + " is blank: its machines boot from disk")));
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot read the state of base " + base.id(), e);
        }
    }
}
