package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.ShutdownMode;
import io.boxd.network.Watch;
import io.boxd.vmm.EndReason;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import io.boxd.vmm.MachineSize;
import io.boxd.vmm.Remains;
import io.boxd.vmm.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Does to one box what {@link Transitions} says, with the engine and its wire; called under the box's lock.
 *
 * <p>Each act either succeeds or leaves the box with what it had.
 */
final class Acts {
    /** A guest that has not ended itself by then is switched off. */
    private static final Duration ORDERLY_END = Duration.ofSeconds(30);

    private static final Duration PLUG_IN = Duration.ofSeconds(10);

    private final Workshop shop;
    private final Instants instants;
    private final Ends ends;

    Acts(Workshop shop, Instants instants, Ends ends) {
        this.shop = shop;
        this.instants = instants;
        this.ends = ends;
    }

    /** Takes a machine that was made for it. */
    void receive(HostedBox box, Machine machine) {
        box.has(machine);
        begin(box, machine);
    }

    private void begin(HostedBox box, Machine machine) {
        count(box, machine, true);
        ends.listen(box, machine);
    }

    /** Looks at what the host counts of its machine. */
    void count(HostedBox box, Machine machine, boolean anew) {
        var traffic = shop.ways().traffic(machine);
        Activity.Count count = new Activity.Count(
                Instant.now(),
                machine.cpuTime(),
                traffic.map(t -> t.receivedPackets()).orElse(0L),
                traffic.map(t -> t.sentPackets()).orElse(0L));
        if (anew) {
            box.activity().begin(count);
        } else {
            box.activity().count(count, shop.config().quietCpuPercent());
        }
    }

    void pause(HostedBox box, Deadline deadline) {
        Machine machine = box.requireMachine();
        watch(box, machine);
        try {
            machine.pause(deadline);
        } catch (RuntimeException e) {
            deliver(box, machine);
            throw e;
        }
    }

    void resume(HostedBox box, Deadline deadline) {
        Machine machine = box.requireMachine();
        machine.resume(deadline);
        deliver(box, machine);
        count(box, machine, true);
    }

    void hibernate(HostedBox box, Deadline deadline) {
        Machine machine = box.requireMachine();
        boolean watchedBefore = box.watch().isPresent();
        watch(box, machine);
        try {
            box.hasMemory(shop.engine().hibernate(machine, deadline).snapshot().id());
        } catch (RuntimeException e) {
            if (!watchedBefore) {
                deliver(box, machine);
            }
            throw e;
        }
    }

    void wake(HostedBox box, Deadline deadline) {
        String memory = memoryOf(box);
        Snapshot snapshot = instants.require(memory);
        Machine machine = shop.engine().start(snapshot, box.next(snapshot.identity()), deadline);
        receive(box, machine);
        deliver(box, machine);
        noteAddressesSoon(box, machine);
        instants.releaseSoon(memory);
    }

    static String memoryOf(HostedBox box) {
        String memory = box.memory();
        if (memory == null) {
            throw new BoxdException(ErrorCode.WRONG_STATE, box.name() + " has no memory to wake from");
        }
        return memory;
    }

    /** A machine from its disk; if that cannot be, from its newest snapshot. */
    void boot(HostedBox box, Deadline deadline) {
        Life before = box.life();
        box.show(Life.STARTING);
        try {
            Remains remains = box.remains();
            MachineSize size = box.row().settings().size();
            Machine machine = remains == null ? bootFromSnapshot(box, deadline) : boot(box, remains, size, deadline);
            receive(box, machine);
            deliver(box, machine);
        } catch (RuntimeException e) {
            box.show(before);
            throw e;
        }
    }

    private Machine boot(HostedBox box, Remains remains, MachineSize size, Deadline deadline) {
        Machine machine = shop.engine().reboot(remains, size, box.next(remains.identity()), deadline);
        // A disk that has grown is of use only when its file system has, too.
        try {
            machine.agent().grow(deadline);
        } catch (BoxdException e) {
            Workshop.warn("the file system of " + box.name() + " does not fill its disk", e);
        }
        return machine;
    }

    /** Its disk is given up. */
    void bootFromNewestSnapshot(HostedBox box, Deadline deadline) {
        KeptRow newest = newestSnapshot(box)
                .orElseThrow(() -> new BoxdException(ErrorCode.WRONG_STATE, box.name() + " has no snapshot"));
        instants.require(newest.instant());
        Remains useless = box.remains();
        if (useless != null) {
            shop.engine().discard(useless);
            box.hasNothing();
        }
        receive(box, bootFromSnapshot(box, deadline));
    }

    /** When its disk is lost, too. */
    private Machine bootFromSnapshot(HostedBox box, Deadline deadline) {
        KeptRow newest = newestSnapshot(box)
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.WRONG_STATE,
                        box.name() + " has no disk and no snapshot to start from",
                        "Destroy it, and make a new one.",
                        null));
        Snapshot snapshot = instants.require(newest.instant());
        Machine machine = shop.engine().start(snapshot, box.next(snapshot.identity()), deadline);
        shop.record().apply(new BoxCommand.Become(box.id(), Optional.of(newest.id()), newest.size()));
        return machine;
    }

    Optional<KeptRow> newestSnapshot(HostedBox box) {
        return shop.record().rows().snapshotsOf(box.id()).stream().reduce((_, later) -> later);
    }

    /** Has the guest end itself, and ends it if it does not. */
    void shutDown(HostedBox box, Deadline deadline) {
        if (box.life() == Life.HIBERNATED) {
            wake(box, deadline);
        } else if (box.life() == Life.STANDBY) {
            resume(box, deadline);
        }
        endInOrder(box.requireMachine(), deadline.orSooner(ORDERLY_END));
    }

    private static void endInOrder(Machine machine, Deadline deadline) {
        try {
            machine.agent().shutdown(ShutdownMode.POWER_OFF, deadline);
            machine.ended().get(deadline.leftNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (BoxdException | ExecutionException | TimeoutException e) {
            // Then it is switched off, as with a button that is held down.
            Workshop.warn("a machine did not shut down in order", e);
        }
    }

    /** Keeps only the disk of its machine. */
    void rest(HostedBox box, String why) {
        Machine machine = box.requireMachine();
        box.has(shop.engine().rest(machine, why));
        abandonWatch(box);
    }

    /** The same for a moment only: it stays where it is reached. */
    void restForNow(HostedBox box, String why) {
        Machine machine = box.requireMachine();
        box.show(Life.STARTING);
        watch(box, machine);
        box.has(shop.engine().rest(machine, why));
    }

    /** Everything of it goes. */
    void discard(HostedBox box) {
        Machine machine = box.machine();
        Remains remains = box.remains();
        String memory = box.memory();
        box.hasNothing();
        if (machine != null) {
            machine.close();
        }
        if (remains != null) {
            shop.engine().discard(remains);
        }
        if (memory != null) {
            instants.release(memory);
        }
        abandonWatch(box);
    }

    /** Takes the state of a snapshot, whosever it is; what it had is gone. */
    void become(HostedBox box, Snapshot snapshot, long generation, Deadline deadline) {
        Identity identity = box.next(generation - 1);
        Machine present = box.machine();
        String memory = box.memory();
        Machine machine = present == null
                ? shop.engine().start(snapshot, identity, deadline)
                : replace(box, present, snapshot, identity, deadline);
        receive(box, machine);
        deliver(box, machine);
        if (memory != null) {
            instants.releaseSoon(memory);
        }
    }

    private Machine replace(HostedBox box, Machine present, Snapshot snapshot, Identity identity, Deadline deadline) {
        boolean watchedBefore = box.watch().isPresent();
        watch(box, present);
        try {
            return shop.engine().replace(present, snapshot, identity, deadline);
        } catch (RuntimeException e) {
            if (!watchedBefore) {
                deliver(box, present);
            }
            throw e;
        }
    }

    /** From now on, whoever wants to reach it wakes it. */
    private void watch(HostedBox box, Machine machine) {
        if (box.watch().isPresent() || shop.ways().wire(machine).isEmpty()) {
            return;
        }
        List<String> recorded = box.row().condition().addresses();
        List<String> addresses = shop.ways().addresses(machine, recorded);
        if (!addresses.equals(recorded)) {
            // First, so that a later server knows whose they are.
            shop.record().apply(new BoxCommand.Reach(box.id(), addresses));
        }
        box.watched(shop.ways().watch(machine, ends.knocked(box)));
    }

    /** On another wire it is reached elsewhere; known before it sleeps the next time, so that this need not wait. */
    private void noteAddressesSoon(HostedBox box, Machine machine) {
        List<String> recorded = box.row().condition().addresses();
        List<String> addresses = shop.ways().addresses(machine, recorded);
        if (!addresses.equals(recorded)) {
            Thread.ofVirtual().name("addresses-" + box.id()).start(() -> noteAddresses(box, machine, addresses));
        }
    }

    private void noteAddresses(HostedBox box, Machine machine, List<String> addresses) {
        if (box.machine() != machine) {
            return;
        }
        try {
            shop.record().apply(new BoxCommand.Reach(box.id(), addresses));
        } catch (BoxdException e) {
            if (!shop.closing().get() && e.code() != ErrorCode.NOT_FOUND) {
                Workshop.warn("the addresses of box " + box.name() + " are not written down yet", e);
            }
        }
    }

    /** Its machine is awake, on whichever wire. */
    void deliver(HostedBox box, Machine machine) {
        Optional<Watch> watch = box.watch();
        if (watch.isPresent()) {
            try {
                List<String> recorded = box.row().condition().addresses();
                shop.ways().deliver(watch.get(), machine, recorded, Deadline.in(PLUG_IN));
                box.watched(Optional.empty());
            } catch (BoxdException e) {
                // It runs, and is not reached; what comes for it is held until it is woken the next time.
                Workshop.warn("box " + box.name() + " runs without its network", e);
            }
        }
    }

    void abandonWatch(HostedBox box) {
        box.watch().ifPresent(shop.ways()::abandon);
        box.watched(Optional.empty());
    }

    /** Why a machine ended, for people. */
    static String reason(EndReason reason, @Nullable Machine machine) {
        String console = machine == null ? "" : machine.consoleTail();
        String last = console.lines().filter(line -> !line.isBlank()).reduce("", (_, b) -> b);
        return switch (reason) {
            case POWERED_OFF -> "it switched itself off";
            case REBOOT_REQUESTED -> "it restarted itself";
            case PANICKED ->
                "its kernel panicked" + (last.isEmpty() ? "" : "; the console ends with: " + Spoken.printable(last));
            case DESTROYED -> "it was ended";
            case PROCESS_DIED -> "its QEMU process was killed or crashed";
        };
    }
}
