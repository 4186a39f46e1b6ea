package io.boxd.bench;

import io.boxd.common.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** What one call costs when very many are made, and whether the server keeps anything of them. */
final class LoadFigures {
    private static final String BOX = "load";
    private static final int LISTS_FOR_AN_EXEC = 5;
    private static final int READINGS = 12;
    private static final double MB = 1e6;

    private final ApiConnection api;
    private final Report report;
    private final int calls;
    private final ServerGauge gauge;

    /** @param calls of {@code list}; of {@code exec} there are a fifth as many */
    LoadFigures(Instance instance, ApiConnection api, Report report, int calls) throws IOException {
        this.api = api;
        this.report = report;
        this.calls = calls;
        this.gauge = new ServerGauge(instance.serverPid(), instance.folder());
    }

    void measure() throws IOException {
        int commands = Math.max(1, calls / LISTS_FOR_AN_EXEC);
        System.err.println(calls + " lists, " + commands + " commands");
        api.post("/boxes", Map.of("name", BOX, "image", "tiny", "idle_after_s", 0));
        JsonNode order = Json.parse("{\"argv\":[\"true\"]}");
        Supplier<JsonNode> list = () -> api.get("/boxes");
        Supplier<JsonNode> command = () -> api.post("/boxes/" + BOX + "/exec", order);
        // What is made once is there before it is looked at.
        times(new Samples(), commands, list);
        times(new Samples(), Math.max(1, commands / LISTS_FOR_AN_EXEC), command);
        Samples lists = new Samples();
        Samples execs = new Samples();
        Trend heap = new Trend();
        for (int round = 1; round <= READINGS; round++) {
            times(lists, share(calls, round), list);
            times(execs, share(commands, round), command);
            heap.add(lists.count() + execs.count(), gauge.read().heapBytes() / MB);
        }
        report.figure("list_p50_ms", lists.percentile(50), lists.count(), "", "over a connection that is kept");
        report.figure("list_p99_ms", lists.percentile(99), lists.count(), "", "the same");
        report.figure("exec_p50_ms", execs.percentile(50), execs.count(), "", "a command to its end, over the API");
        report.figure("exec_p99_ms", execs.percentile(99), execs.count(), "", "the same");
        report.figures(
                "load_heap_mb",
                heap.summary(),
                heap.count(),
                Map.of(),
                "alive in the server meanwhile, after collections; medians of thirds, growth in 1000 calls");
        api.post("/destroy", Map.of("boxes", List.of(BOX)));
    }

    /** Of all, in this round. */
    private static int share(int all, int round) {
        return all * round / READINGS - all * (round - 1) / READINGS;
    }

    private static void times(Samples samples, int count, Supplier<JsonNode> call) {
        for (int i = 0; i < count; i++) {
            long start = System.nanoTime();
            var _ = call.get();
            samples.add(Duration.ofNanos(System.nanoTime() - start));
        }
    }
}
