package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.vmm.Base;
import io.boxd.vmm.PoolLevel;
import io.boxd.vmm.PoolSize;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Keeps cells of the default base ready while there is memory for them. */
final class Pools {
    private static final int MOST_HUSKS = 8;
    private static final Duration FIRST_BASE = Duration.ofMinutes(20);

    private final Workshop shop;
    private final Capacity capacity;
    private final AtomicReference<@Nullable Base> standard = new AtomicReference<>();
    private final AtomicReference<@Nullable Boolean> filled = new AtomicReference<>();

    Pools(Workshop shop, Capacity capacity) {
        this.shop = shop;
        this.capacity = capacity;
    }

    /** Makes the default base ahead of the first box; nobody waits for it. */
    void begin() {
        if (shop.config().warm() == 0) {
            return;
        }
        Thread.ofVirtual().name("default-base").start(() -> {
            try {
                standard.set(
                        shop.images().base(shop.config().image(), shop.config().size(), Deadline.in(FIRST_BASE)));
                adjust();
            } catch (BoxdException e) {
                if (!shop.closing().get()) {
                    Workshop.warn("the default base could not be made ahead", e);
                }
            }
        });
    }

    /** A box of this base is being made. */
    void used(Base base) {
        Base known = standard.get();
        if (known != null && known.id().equals(base.id())) {
            adjust();
        }
    }

    /** How many cells wait to be handed out. */
    int spare() {
        Base base = standard.get();
        if (base == null) {
            return 0;
        }
        PoolLevel level = shop.engine().poolLevel(base);
        return level.husks() + level.warm();
    }

    /** Follows the memory of the host. */
    void adjust() {
        Base base = standard.get();
        if (base == null || shop.closing().get()) {
            return;
        }
        boolean fill = !capacity.isShort();
        Boolean before = filled.getAndSet(fill);
        if (before == null || before != fill) {
            int warm = shop.config().warm();
            shop.engine().keepPool(base, fill ? new PoolSize(0, MOST_HUSKS, warm) : new PoolSize(0, 0, 0));
        }
    }
}
