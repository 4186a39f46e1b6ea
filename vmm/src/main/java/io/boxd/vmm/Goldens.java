package io.boxd.vmm;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sources in standby that are forked again and again, each captured once into a base of its own.
 *
 * <p>Its children then start with nothing copied and share everything. The base goes when the source
 * has gone on, since it is no longer what the source is, or has ended.
 */
final class Goldens {
    /** The first fork of a standing source is copied; from the second on a base pays. */
    private static final int FORKS_BEFORE_PROMOTION = 1;

    private record Golden(long proceeded, int forks, AtomicReference<@Nullable Base> base) {}

    private final Map<String, Golden> goldens = new ConcurrentHashMap<>();
    private final Consumer<Base> forget;

    Goldens(Consumer<Base> forget) {
        this.forget = forget;
    }

    /** The base that this source's children should start from, or null where copying is as good. */
    @Nullable
    Base of(Machine source, Supplier<Base> promote) {
        long proceeded = source.proceeded();
        Golden golden = goldens.compute(source.id(), (id, known) -> {
            if (known == null) {
                source.cell().onEnd(() -> Thread.startVirtualThread(() -> drop(goldens.remove(id))));
            }
            if (known != null && known.proceeded() == proceeded) {
                return new Golden(proceeded, known.forks() + 1, known.base());
            }
            drop(known);
            return new Golden(proceeded, 1, new AtomicReference<>());
        });
        if (source.state() != Machine.State.STANDBY || golden.forks() <= FORKS_BEFORE_PROMOTION) {
            return null;
        }
        synchronized (golden.base()) {
            Base made = golden.base().get();
            if (made == null) {
                made = promote.get();
                golden.base().set(made);
            }
            return made;
        }
    }

    private void drop(@Nullable Golden golden) {
        Base base = golden == null ? null : golden.base().getAndSet(null);
        if (base != null) {
            forget.accept(base);
        }
    }
}
