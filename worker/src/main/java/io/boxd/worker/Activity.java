package io.boxd.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Who keeps a box awake, and when something last happened in it.
 *
 * <p>Thread-safe. What a host can only count (processor time, packets) is compared with the last count.
 */
final class Activity {
    private final Map<Object, String> holds = new ConcurrentHashMap<>();
    private volatile Instant touched;
    private Count last;
    private Instant processors;
    private Instant received;
    private Instant sent;
    private double cpuPercent;

    /** What a host counts of a box, since its machine was made. */
    record Count(Instant at, Duration cpuTime, long receivedPackets, long sentPackets) {}

    Activity(Instant now) {
        touched = now;
        processors = now;
        received = now;
        sent = now;
        last = new Count(now, Duration.ZERO, 0, 0);
    }

    void hold(Object holder, String reason) {
        holds.put(holder, reason);
    }

    void release(Object holder, Instant now) {
        touch(now);
        holds.remove(holder);
    }

    boolean isHeld() {
        return !holds.isEmpty();
    }

    List<String> holders() {
        return List.copyOf(holds.values());
    }

    void touch(Instant now) {
        touched = now;
    }

    Instant touched() {
        return touched;
    }

    /** The box has another machine, or goes on: counts begin here. */
    synchronized void begin(Count count) {
        touch(count.at());
        last = count;
        processors = count.at();
        received = count.at();
        sent = count.at();
        cpuPercent = 0;
    }

    /** Takes a new count; whatever differs from the last one has happened just now, as far as anybody knows. */
    synchronized void count(Count count, double quietCpuPercent) {
        double millis = Math.max(1, Duration.between(last.at(), count.at()).toMillis());
        cpuPercent = 100.0 * count.cpuTime().minus(last.cpuTime()).toMillis() / millis;
        if (cpuPercent > quietCpuPercent) {
            processors = count.at();
        }
        if (count.receivedPackets() != last.receivedPackets()) {
            received = count.at();
        }
        if (count.sentPackets() != last.sentPackets()) {
            sent = count.at();
        }
        last = count;
    }

    synchronized double cpuPercent() {
        return cpuPercent;
    }

    /** What the last count says, at its time. */
    synchronized List<Signal> counted() {
        return List.of(
                Signal.since(
                        Why.Kind.PROCESSORS, processors, last.at(), "%.0f %% of a processor".formatted(cpuPercent)),
                Signal.since(Why.Kind.RECEIVED, received, last.at(), last.receivedPackets() + " packets"),
                Signal.since(Why.Kind.SENT, sent, last.at(), last.sentPackets() + " packets"));
    }
}
