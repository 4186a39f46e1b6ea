package io.boxd.vmm;

import io.boxd.common.Deadline;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The pools of all bases in use, and the making of husks when a pool has none. */
final class HuskPools implements AutoCloseable {
    private final HuskMaker maker;
    private final Starter starter;
    private final Quiet quiet;
    private final Map<String, HuskPool> pools = new ConcurrentHashMap<>();
    /** Starting more processes at once than there are processors makes each of them late. */
    private final Semaphore starting = new Semaphore(Runtime.getRuntime().availableProcessors() + 1);

    HuskPools(HuskMaker maker, Starter starter, Quiet quiet) {
        this.maker = maker;
        this.starter = starter;
        this.quiet = quiet;
    }

    /** Keeps a pool for this base from now on, within these bounds. */
    void keep(Base base, PoolSize size) {
        pools.computeIfAbsent(base.id(), id -> new HuskPool(base, maker, starter, quiet))
                .resize(size);
    }

    /** Gives up the pool of this base and ends what waits in it. */
    void drop(Base base) {
        HuskPool pool = pools.remove(base.id());
        if (pool != null) {
            pool.close();
        }
    }

    /** How many husks and warmed machines wait. */
    PoolLevel level(Base base) {
        HuskPool pool = pools.get(base.id());
        return pool == null ? new PoolLevel(0, 0) : pool.level();
    }

    /** The husk that would be taken next. */
    Optional<Husk> peek(Base base) {
        HuskPool pool = pools.get(base.id());
        return pool == null ? Optional.empty() : pool.peek();
    }

    @Nullable
    Machine takeWarm(Base base) {
        HuskPool pool = pools.get(base.id());
        return pool == null ? null : pool.takeWarm();
    }

    /** A husk from the pool, or a new one. */
    Husk takeHusk(Base base, Deadline deadline) {
        HuskPool pool = pools.get(base.id());
        Husk pooled = pool == null ? null : pool.takeHusk();
        return pooled != null ? pooled : make(base, deadline);
    }

    private Husk make(Base base, Deadline deadline) {
        boolean admitted = false;
        try {
            admitted = starting.tryAcquire(deadline.leftNanos(), TimeUnit.NANOSECONDS);
            if (!admitted) {
                throw deadline.exceeded("waiting to start a machine");
            }
            return maker.make(base, HuskMaker.WORKING_CPU_SHARE, deadline);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw deadline.exceeded("waiting to start a machine");
        } finally {
            if (admitted) {
                starting.release();
            }
        }
    }

    /** Husks for one operation; the first is there when this returns. */
    Order order(Base base, Deadline deadline) {
        return new Order(base, takeHusk(base, deadline), deadline);
    }

    /** Hands out the first husk and gets more as they are asked for; ends the first if unused. */
    final class Order implements AutoCloseable {
        private final Base base;
        private final Deadline deadline;
        private @Nullable Husk first;

        private Order(Base base, Husk first, Deadline deadline) {
            this.base = base;
            this.first = first;
            this.deadline = deadline;
        }

        Husk next() {
            Husk ready = takeFirst();
            return ready != null ? ready : takeHusk(base, deadline);
        }

        private synchronized @Nullable Husk takeFirst() {
            Husk ready = first;
            first = null;
            return ready;
        }

        @Override
        public void close() {
            Husk unused = takeFirst();
            if (unused != null) {
                unused.close();
            }
        }
    }

    @Override
    public void close() {
        pools.values().forEach(HuskPool::close);
        pools.clear();
    }
}
