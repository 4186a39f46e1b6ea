package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.worker.Box;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How often strangers may wake boxes, so that waking is no weapon: each box once in a while, and all boxes of an owner
 * together so often in a minute. Whoever comes while a box wakes waits for that very wake.
 */
final class WakeBudget {
    /** Of one box, from one wake by strangers to the next. */
    static final Duration BETWEEN = Duration.ofSeconds(5);

    /** Of all boxes of one owner, in a minute. */
    static final int PER_MINUTE = 60;

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int MOST_REMEMBERED = 65_536;

    private final LongSupplier clock;
    private final Map<String, Wakes> boxes = remembering();
    private final Map<String, Deque<Long>> owners = remembering();

    /** @param clock in nanoseconds */
    WakeBudget(LongSupplier clock) {
        this.clock = clock;
    }

    private static final class Wakes {
        private int waiting;
        private @Nullable Long begunNanos;
    }

    private static <T> Map<String, T> remembering() {
        return new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
                return size() > MOST_REMEMBERED;
            }
        };
    }

    /** Does what wakes a box, if it may be woken. */
    <T> T within(Box box, Supplier<T> waking) {
        Wakes wakes = begin(box);
        try {
            return waking.get();
        } finally {
            end(wakes);
        }
    }

    private synchronized Wakes begin(Box box) {
        Wakes wakes = boxes.computeIfAbsent(box.id(), _ -> new Wakes());
        if (wakes.waiting == 0) {
            long now = clock.getAsLong();
            Long last = wakes.begunNanos;
            if (last != null && now - last < BETWEEN.toNanos()) {
                throw tooOften(box.name() + " was woken a moment ago");
            }
            takeOwners(box.owner(), now);
            wakes.begunNanos = now;
        }
        wakes.waiting++;
        return wakes;
    }

    private void takeOwners(String owner, long now) {
        Deque<Long> begun = owners.computeIfAbsent(owner, _ -> new ArrayDeque<>());
        while (!begun.isEmpty() && now - begun.peekFirst() > MINUTE.toNanos()) {
            begun.removeFirst();
        }
        if (begun.size() >= PER_MINUTE) {
            throw tooOften("boxes of its owner were woken " + PER_MINUTE + " times within a minute");
        }
        begun.addLast(now);
    }

    private static BoxdException tooOften(String why) {
        return new BoxdException(
                ErrorCode.RESOURCE_EXHAUSTED,
                "this box is not woken now: " + why,
                "Come again in a few seconds. For those who show a token there is no such limit.",
                null);
    }

    private synchronized void end(Wakes wakes) {
        wakes.waiting--;
    }
}
