package io.boxd.proxy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Connections to boxes on which an answer has ended as it should, for the next request that could be sent once more if
 * the box has closed them meanwhile. Thread-safe.
 */
final class SpareLines implements AutoCloseable {
    private final Map<Place, Deque<Spare>> spares = new HashMap<>();
    private int count;
    private boolean closed;

    /** Where a connection leads. */
    record Place(String box, int port) {}

    private record Spare(BoxLine line, long sinceNanos) {}

    /** The one used last, if it is not too old. */
    synchronized Optional<BoxLine> take(Place place) {
        Deque<Spare> there = spares.get(place);
        if (there == null) {
            return Optional.empty();
        }
        Spare newest = there.removeLast();
        count--;
        if (there.isEmpty()) {
            spares.remove(place);
        }
        if (isOld(newest)) {
            newest.line().close();
            return Optional.empty();
        }
        return Optional.of(newest.line().again());
    }

    /** Keeps it, or closes it if there are enough. */
    void keep(Place place, BoxLine line) {
        if (!isKept(place, line)) {
            line.close();
        }
    }

    private synchronized boolean isKept(Place place, BoxLine line) {
        if (closed || count >= ProxyLimits.SPARES) {
            return false;
        }
        Deque<Spare> there = spares.computeIfAbsent(place, _ -> new ArrayDeque<>());
        if (there.size() >= ProxyLimits.SPARES_PER_PORT) {
            return false;
        }
        there.addLast(new Spare(line, System.nanoTime()));
        count++;
        return true;
    }

    private static boolean isOld(Spare spare) {
        return System.nanoTime() - spare.sinceNanos() > ProxyLimits.SPARE.toNanos();
    }

    /** Closes those that nobody has used for a while. */
    void sweep() {
        List<BoxLine> old = new ArrayList<>();
        synchronized (this) {
            spares.values().removeIf(there -> {
                while (!there.isEmpty() && isOld(there.getFirst())) {
                    old.add(there.removeFirst().line());
                    count--;
                }
                return there.isEmpty();
            });
        }
        old.forEach(BoxLine::close);
    }

    @Override
    public void close() {
        List<BoxLine> all = new ArrayList<>();
        synchronized (this) {
            closed = true;
            spares.values().forEach(there -> there.forEach(spare -> all.add(spare.line())));
            spares.clear();
            count = 0;
        }
        all.forEach(BoxLine::close);
    }
}
