package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes machines from the present instant of another one. */
final class Forks {
    /** Beyond this many bytes copied into children in all, one new base that they share is cheaper. */
    private static final long PROMOTE_BYTES = 2L << 30;

    private static final int PROMOTE_CHILDREN = 4;

    private final Captures captures;
    private final HuskPools pools;
    private final Starter starter;
    private final Bases bases;
    private final MachineBook book;
    private final Flattener flattener;
    private final Goldens goldens;

    Forks(Captures captures, HuskPools pools, Starter starter, Bases bases, MachineBook book, Flattener flattener) {
        this.book = book;
        this.flattener = flattener;
        this.captures = captures;
        this.pools = pools;
        this.starter = starter;
        this.bases = bases;
        this.goldens = new Goldens(base -> {
            pools.drop(base);
            bases.forget(base);
        });
    }

    ForkResult fork(Machine source, List<Identity> identities, Deadline deadline) {
        if (identities.isEmpty()) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "a fork makes at least one machine");
        }
        source.requireAlive();
        Base golden = goldens.of(source, () -> promote(source, deadline));
        if (golden != null) {
            List<Machine> machines = startOn(golden, identities, deadline);
            book.started(machines, List.of());
            return new ForkResult(machines, Duration.ZERO, 0);
        }
        // The first child's husk before the pause: starting a process in it would make it longer.
        try (HuskPools.Order order = pools.order(source.base(), deadline);
                Capture capture = captures.take(source, deadline)) {
            List<Machine> machines =
                    identities.size() >= PROMOTE_CHILDREN && capture.runs().bytes() * identities.size() >= PROMOTE_BYTES
                            ? startShared(capture, identities, deadline)
                            : each(identities, identity -> starter.start(order.next(), capture, identity, deadline));
            book.started(machines, List.of(source));
            flattener.consider(source);
            return new ForkResult(machines, capture.pause(), capture.runs().bytes());
        }
    }

    /** On one new base, which goes with the last of them. */
    private List<Machine> startShared(Capture capture, List<Identity> identities, Deadline deadline) {
        Base shared = bases.promote(Ids.random(), capture);
        try {
            return startOn(shared, identities, deadline);
        } finally {
            bases.forget(shared);
        }
    }

    private List<Machine> startOn(Base base, List<Identity> identities, Deadline deadline) {
        return each(identities, identity -> starter.start(pools.takeHusk(base, deadline), identity, deadline));
    }

    /** Freezes the present state of a machine as a base of its own. */
    Base promote(Machine source, Deadline deadline) {
        source.requireAlive();
        try (Capture capture = captures.take(source, deadline)) {
            Base base = bases.promote(Ids.random(), capture);
            book.changed(List.of(source));
            return base;
        }
    }

    /** Starts all at the same time; if one fails, none is left. */
    static List<Machine> each(List<Identity> identities, Function<Identity, Machine> start) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Machine>> starting = identities.stream()
                    .map(identity -> threads.submit(() -> start.apply(identity)))
                    .toList();
            List<Machine> machines = new ArrayList<>();
            BoxdException failure = null;
            for (Future<Machine> future : starting) {
                failure = collect(future, machines, failure);
            }
            if (failure != null) {
                machines.forEach(Machine::close);
                throw failure;
            }
            return machines;
        }
    }

    private static @Nullable BoxdException collect(
            Future<Machine> future, List<Machine> machines, @Nullable BoxdException earlier) {
        try {
            machines.add(future.get());
            return earlier;
        } catch (ExecutionException e) {
            return e.getCause() instanceof BoxdException known
                    ? known
                    : new BoxdException(ErrorCode.INTERNAL, "a fork failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new BoxdException(ErrorCode.UNAVAILABLE, "a fork was interrupted", e);
        }
    }
}
