package io.boxd.api;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** What this door counts, and how the server is, for whoever watches it. */
final class Metrics {
    private final Map<Series, LongAdder> requests = new ConcurrentHashMap<>();
    private final Map<String, Histogram> latencies = new ConcurrentHashMap<>();
    private final AtomicInteger openStreams = new AtomicInteger();
    private final LongAdder limited = new LongAdder();
    private final LongAdder spansLost = new LongAdder();
    private final Supplier<Map<String, Long>> census;

    private record Series(String verb, int status) {}

    /** @param census how many boxes are in each status */
    Metrics(Supplier<Map<String, Long>> census) {
        this.census = census;
    }

    /** @param verb one of those that there are, so that nobody can make new series */
    void answered(String verb, int status, Duration took) {
        requests.computeIfAbsent(new Series(verb, status), _ -> new LongAdder()).increment();
        latencies.computeIfAbsent(verb, _ -> new Histogram()).add(took);
    }

    /** A stream, whose time says nothing about the server. */
    void streamBegun() {
        openStreams.incrementAndGet();
    }

    void streamEnded() {
        openStreams.decrementAndGet();
    }

    void refusedByRate() {
        limited.increment();
    }

    void spansLost(long count) {
        spansLost.add(count);
    }

    /** Everything, in the text format of Prometheus. */
    String text() {
        Exposition text = new Exposition();
        text.family("boxd_requests_total", "counter", "Requests that were answered.");
        requests.entrySet().stream()
                .sorted((one, other) -> order(one.getKey(), other.getKey()))
                .forEach(entry -> text.sample(
                        "boxd_requests_total",
                        List.of(
                                "verb",
                                entry.getKey().verb(),
                                "status",
                                String.valueOf(entry.getKey().status())),
                        entry.getValue().sum()));
        text.family("boxd_request_seconds", "histogram", "How long answers took; of streams, until they began.");
        new TreeMap<>(latencies).forEach((verb, histogram) -> histogram.write(text, "boxd_request_seconds", verb));
        text.family("boxd_requests_limited_total", "counter", "Requests that came too fast and were refused.");
        text.sample("boxd_requests_limited_total", List.of(), limited.sum());
        text.family("boxd_open_streams", "gauge", "Streams that are open.");
        text.sample("boxd_open_streams", List.of(), openStreams.get());
        text.family("boxd_spans_lost_total", "counter", "Spans that no collector took.");
        text.sample("boxd_spans_lost_total", List.of(), spansLost.sum());
        text.family("boxd_boxes", "gauge", "Boxes by status.");
        census.get().forEach((status, count) -> text.sample("boxd_boxes", List.of("status", status), count));
        addJava(text);
        return text.toString();
    }

    private static int order(Series one, Series other) {
        int verbs = one.verb().compareTo(other.verb());
        return verbs == 0 ? Integer.compare(one.status(), other.status()) : verbs;
    }

    private static void addJava(Exposition text) {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        List<String> area = List.of("area", "heap");
        text.family("jvm_memory_used_bytes", "gauge", "Memory that Java uses.");
        text.sample("jvm_memory_used_bytes", area, heap.getUsed());
        text.family("jvm_memory_committed_bytes", "gauge", "Memory that Java has taken from the system.");
        text.sample("jvm_memory_committed_bytes", area, heap.getCommitted());
        text.family("jvm_memory_max_bytes", "gauge", "Memory that Java may take.");
        text.sample("jvm_memory_max_bytes", area, heap.getMax());
        text.family("jvm_threads_current", "gauge", "Threads of the system; virtual ones are not counted.");
        text.sample(
                "jvm_threads_current",
                List.of(),
                ManagementFactory.getThreadMXBean().getThreadCount());
        text.family("process_start_time_seconds", "gauge", "When the server began.");
        text.sample(
                "process_start_time_seconds",
                List.of(),
                ManagementFactory.getRuntimeMXBean().getStartTime() / 1000.0);
    }

    /** How many answers took at most how long. */
    private static final class Histogram {
        private static final double[] BOUNDS = {
            0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60
        };
        private static final double SECOND = 1e9;

        private final long[] counts = new long[BOUNDS.length];
        private long count;
        private double sum;

        synchronized void add(Duration took) {
            double seconds = took.toNanos() / SECOND;
            count++;
            sum += seconds;
            for (int i = 0; i < BOUNDS.length; i++) {
                if (seconds <= BOUNDS[i]) {
                    counts[i]++;
                }
            }
        }

        synchronized void write(Exposition text, String name, String verb) {
            for (int i = 0; i < BOUNDS.length; i++) {
                text.sample(name + "_bucket", List.of("verb", verb, "le", Exposition.number(BOUNDS[i])), counts[i]);
            }
            text.sample(name + "_bucket", List.of("verb", verb, "le", "+Inf"), count);
            text.sample(name + "_sum", List.of("verb", verb), sum);
            text.sample(name + "_count", List.of("verb", verb), count);
        }
    }
}
