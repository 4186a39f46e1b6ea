package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.vmm.ForkResult;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import io.boxd.vmm.Remains;
import io.boxd.vmm.RestFork;
import io.boxd.vmm.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Makes copies of a box, whatever it is doing: all from one instant, all or none. */
final class Forker {
    private final Workshop shop;
    private final Lives lives;
    private final Capacity capacity;
    private final Instants instants;
    private final Maker maker;

    Forker(Workshop shop, Lives lives, Capacity capacity, Instants instants, Maker maker) {
        this.shop = shop;
        this.lives = lives;
        this.capacity = capacity;
        this.instants = instants;
        this.maker = maker;
    }

    /** The copies, and what the source noticed of it. */
    record Copies(List<HostedBox> boxes, Duration pause, Duration ready, Duration engine, long dirtyBytes) {
        Forked shown(List<Box> views) {
            return new Forked(views, pause, ready, engine, dirtyBytes);
        }
    }

    /** What the engine has done, and how long it took for it. */
    private record Work(ForkResult result, Duration took) {}

    Copies fork(HostedBox source, ForkOrder order, Deadline deadline) {
        long start = System.nanoTime();
        Optional<KeyRow> before = shop.record().rows().before(order.key());
        if (before.isPresent()) {
            return again(before.get().boxes(), deadline);
        }
        check(order);
        List<HostedBox> copies = new ArrayList<>();
        Outcome outcome = reserve(source, order, copies);
        if (outcome.before()) {
            return again(outcome.boxes(), deadline);
        }
        try {
            // Only now: nobody is put to sleep for copies that are refused.
            capacity.make(copies.size(), capacity.estimateFork(source, copies.size()), deadline);
            Work work = source.exclusively(deadline, () -> work(source, identities(copies), deadline));
            ForkResult result = work.result();
            finish(copies, result, order.paused(), start, deadline);
            return new Copies(copies, result.pause(), since(start), work.took(), result.dirtyBytes());
        } catch (RuntimeException e) {
            maker.undo(copies, e);
            throw e;
        }
    }

    /** What is known of copies that the same request has made before: nobody noticed anything now. */
    private Copies again(List<String> ids, Deadline deadline) {
        return new Copies(maker.made(ids, deadline), Duration.ZERO, Duration.ZERO, Duration.ZERO, 0);
    }

    private void check(ForkOrder order) {
        Limits limits = shop.config().limits();
        if (order.names().isEmpty() || order.names().size() > limits.forks()) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT, "a fork makes 1 to " + limits.forks() + " copies at once");
        }
        order.names().forEach(Limits::requireName);
        limits.requireLabels(order.labels());
    }

    private Outcome reserve(HostedBox source, ForkOrder order, List<HostedBox> copies) {
        BoxRow parent = source.row();
        Instant now = Instant.now();
        List<BoxRow> rows = order.names().stream()
                .map(name -> new BoxRow(
                        BoxIds.box(),
                        order.owner(),
                        0,
                        Identity.fresh(name, 1).machineId(),
                        parent.image(),
                        BoxRow.sourceOf(new Origination.FromBox(parent.id())),
                        Optional.of(parent.id()),
                        now,
                        0,
                        0,
                        parent.settings().copy(name, order.labels(), order.sharing()),
                        BoxCondition.begin(Standing.RESERVED, parent.condition().cameFrom(), now)))
                .toList();
        rows.forEach(row -> copies.add(new HostedBox(row.id(), Life.STARTING, shop.record(), now)));
        return maker.reserve(copies, new BoxCommand.Reserve(rows, maker.all(order.allowances()), order.key()));
    }

    private static List<Identity> identities(List<HostedBox> copies) {
        return copies.stream().map(copy -> copy.next(0)).toList();
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private Work work(HostedBox source, List<Identity> identities, Deadline deadline) {
        long start = System.nanoTime();
        return new Work(copy(source, identities, deadline), since(start));
    }

    /** Under the source's lock. */
    private ForkResult copy(HostedBox source, List<Identity> identities, Deadline deadline) {
        if (source.isLeaving()) {
            throw new BoxdException(ErrorCode.WRONG_STATE, source.name() + " is about to be no more");
        }
        return switch (source.life()) {
            case RUNNING, STANDBY -> shop.engine().fork(source.requireMachine(), identities, deadline);
            case HIBERNATED -> copyMemory(Acts.memoryOf(source), identities, deadline);
            case STOPPED, FAILED, DORMANT -> copyDisk(source, identities, deadline);
            case STARTING, DESTROYED ->
                throw new BoxdException(
                        ErrorCode.WRONG_STATE,
                        source.name() + " has nothing that could be copied",
                        "Wait until it is made.",
                        null);
        };
    }

    private ForkResult copyMemory(String memory, List<Identity> identities, Deadline deadline) {
        Snapshot snapshot = instants.require(memory);
        List<CompletableFuture<Machine>> starting = identities.stream()
                .map(identity -> CompletableFuture.supplyAsync(
                        () -> shop.engine().start(snapshot, identity, deadline), Thread::startVirtualThread))
                .toList();
        List<Machine> machines = new ArrayList<>();
        BoxdException failure = null;
        for (CompletableFuture<Machine> one : starting) {
            try {
                machines.add(one.join());
            } catch (CompletionException e) {
                failure = e.getCause() instanceof BoxdException known
                        ? known
                        : new BoxdException(ErrorCode.INTERNAL, "a fork failed", e.getCause());
            }
        }
        if (failure != null) {
            machines.forEach(Machine::close);
            throw failure;
        }
        return new ForkResult(machines, Duration.ZERO, snapshot.bytes());
    }

    private ForkResult copyDisk(HostedBox source, List<Identity> identities, Deadline deadline) {
        Remains remains = source.remains();
        if (remains == null) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE,
                    source.name() + " has no disk that could be copied",
                    "Start it first.",
                    null);
        }
        RestFork fork = shop.engine().fork(remains, identities, deadline);
        source.has(fork.source());
        return fork.result();
    }

    private void finish(List<HostedBox> copies, ForkResult result, boolean paused, long start, Deadline deadline) {
        for (int i = 0; i < copies.size(); i++) {
            lives.acts().receive(copies.get(i), result.machines().get(i));
        }
        long millis = Maker.millisSince(start);
        List<String> ids = copies.stream().map(HostedBox::id).toList();
        List<List<String>> addresses = result.machines().stream()
                .map(machine -> shop.ways().addresses(machine, List.of()))
                .toList();
        shop.record().apply(new BoxCommand.Made(ids, addresses, millis, millis, Instant.now()));
        for (HostedBox copy : copies) {
            copy.withLock(deadline, () -> lives.step(copy, new LifeEvent.Made(), () -> true, "it is a fork", deadline));
            if (paused) {
                lives.happen(copy, new LifeEvent.Asked(Move.PAUSE), "it was forked to stand by", deadline);
            }
        }
    }
}
