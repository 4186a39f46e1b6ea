package io.boxd.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Whether a server stays as small as it was while boxes come and go. */
final class Endurance {
    private static final int READINGS = 30;
    private static final double MB = 1e6;
    private static final long BOX_BYTES = 256L << 20;
    private static final Map<String, Object> ORDER =
            Map.of("name", "endurance", "image", "tiny", "cpus", 1, "memory_bytes", BOX_BYTES, "disk_bytes", BOX_BYTES);

    private final Instance instance;
    private final ApiConnection api;
    private final Report report;
    private final int cycles;
    private final ServerGauge gauge;
    private final Map<String, Trend> trends = new LinkedHashMap<>();
    private final Samples took = new Samples();

    Endurance(Instance instance, ApiConnection api, Report report, int cycles) throws IOException {
        this.instance = instance;
        this.api = api;
        this.report = report;
        this.cycles = cycles;
        this.gauge = new ServerGauge(instance.serverPid(), instance.folder());
    }

    void measure() throws IOException {
        System.err.println(cycles + " boxes made and destroyed");
        var _ = cycle(); // The first of its size makes a base, and is not counted.
        int step = Math.ceilDiv(cycles, READINGS);
        for (int i = 1; i <= cycles; i++) {
            took.add(cycle());
            if (i % step == 0) {
                read(i);
            }
        }
        report.median("cycle_ms", took, "a tiny box made and destroyed, over the API");
        report.fact("cycles", cycles);
        trends.forEach((name, trend) -> report.figures(
                "server_" + name,
                trend.summary(),
                trend.count(),
                Map.of(),
                "of the server; medians of thirds, growth in 1000 cycles"));
    }

    private Duration cycle() {
        long start = System.nanoTime();
        String id = api.post("/boxes", ORDER).path("id").asString();
        api.post("/destroy", Map.of("boxes", List.of(id)));
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private void read(int cycle) throws IOException {
        instance.awaitQuiet();
        ServerGauge.Reading reading = gauge.read();
        note("heap_mb", cycle, reading.heapBytes() / MB);
        note("resident_mb", cycle, reading.residentBytes() / MB);
        note("threads", cycle, reading.threads());
        note("virtual_threads", cycle, reading.virtualThreads());
        note("files", cycle, reading.files());
    }

    private void note(String name, int cycle, double value) {
        trends.computeIfAbsent(name, _ -> new Trend()).add(cycle, value);
    }
}
