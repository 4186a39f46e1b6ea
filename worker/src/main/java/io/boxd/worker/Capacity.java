package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.vmm.Machine;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Sees to it that there is memory for one more machine: the boxes that were idle longest are hibernated first.
 */
final class Capacity {
    /** QEMU itself and what a guest touches at once. */
    private static final long MACHINE_BYTES = 96L << 20;

    private final Workshop shop;
    private final Roster roster;
    private final LongSupplier available;
    private final Predicate<HostedBox> quiet;

    /**
     * @param available bytes of this host's memory
     * @param quiet whether nobody needs a box that runs
     */
    Capacity(Workshop shop, Roster roster, LongSupplier available, Predicate<HostedBox> quiet) {
        this.shop = shop;
        this.roster = roster;
        this.available = available;
        this.quiet = quiet;
    }

    /** What a box would need when it gets a machine. */
    long estimate(HostedBox box) {
        String memory = box.memory();
        return MACHINE_BYTES
                + Optional.ofNullable(memory)
                        .flatMap(shop.engine()::findSnapshot)
                        .map(snapshot -> snapshot.bytes())
                        .orElse(0L);
    }

    /** What copies of a box would need. */
    long estimateFork(HostedBox source, int copies) {
        Machine machine = source.machine();
        long each = machine == null ? estimate(source) : MACHINE_BYTES + machine.dirtyBytes();
        return each * copies;
    }

    static long machineBytes() {
        return MACHINE_BYTES;
    }

    boolean isShort() {
        return available.getAsLong() < shop.config().memoryReserveBytes() + MACHINE_BYTES;
    }

    /** Makes room for machines, or says that there is none. */
    void make(int machines, long bytes, Deadline deadline) {
        List<HostedBox> sleepers = null;
        while (lacks(machines, bytes)) {
            if (sleepers == null) {
                sleepers = candidates();
            }
            if (sleepers.isEmpty() || deadline.passed()) {
                throw full(machines);
            }
            sleepers = putToSleep(sleepers, deadline);
        }
    }

    private List<HostedBox> putToSleep(List<HostedBox> sleepers, Deadline deadline) {
        HostedBox longest = sleepers.getFirst();
        try {
            roster.lives()
                    .fallAsleep(
                            longest,
                            new LifeEvent.Unneeded(),
                            () -> true,
                            "its host needed the memory for other boxes",
                            deadline);
        } catch (BoxdException e) {
            Workshop.warn("box " + longest.name() + " could not be hibernated to make room", e);
        }
        return sleepers.subList(1, sleepers.size());
    }

    /** Those that stand by, then those that run and do nothing; of each kind the longest idle first. */
    private List<HostedBox> candidates() {
        return roster.all().stream()
                .filter(box -> !box.activity().isHeld())
                .filter(box -> box.life() == Life.STANDBY || (box.life() == Life.RUNNING && quiet.test(box)))
                .sorted(Comparator.comparing((HostedBox box) -> box.life() == Life.RUNNING)
                        .thenComparing(box -> box.activity().touched()))
                .toList();
    }

    private boolean lacks(int machines, long bytes) {
        return isCrowded(machines)
                || available.getAsLong() - bytes < shop.config().memoryReserveBytes();
    }

    private boolean isCrowded(int machines) {
        long running =
                roster.all().stream().filter(box -> box.life().hasMachine()).count();
        return running + machines > shop.config().limits().running();
    }

    private BoxdException full(int machines) {
        if (isCrowded(machines)) {
            return new BoxdException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "this host runs at most " + shop.config().limits().running() + " boxes at a time, and none is idle",
                    "Hibernate, stop or destroy a box.",
                    null);
        }
        return new BoxdException(
                ErrorCode.RESOURCE_EXHAUSTED,
                "this host has no memory left for another machine, and no box is idle",
                "Hibernate, stop or destroy a box, or lower the memory that the host keeps for itself.",
                null);
    }
}
