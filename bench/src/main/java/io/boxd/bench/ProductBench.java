package io.boxd.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Figures of the whole program at its defaults, each from before the process of a command to after its end.
 *
 * <p>Beside them is what the server itself says that it took, or what the same costs over a connection that is kept, so
 * that it shows what server and command add to the engine.
 */
public final class ProductBench {
    private static final String ROUNDS = "--rounds";
    private static final String CYCLES = "--cycles";
    private static final String CALLS = "--calls";
    private static final String OUTPUT = "--output";

    private ProductBench() {}

    /** Arguments: {@code [--rounds N] [--cycles N] [--calls N] [--output FILE]}; in the repository, as root. */
    public static void main(String[] arguments) throws IOException {
        Options options = Options.parse(
                arguments, Map.of(ROUNDS, "11", CYCLES, "50", CALLS, "10000", OUTPUT, "bench/results/product.json"));
        int rounds = options.number(ROUNDS);
        int cycles = options.number(CYCLES);
        Path tree = Path.of("").toAbsolutePath();
        Report report = new Report();
        try (Instance instance = new Instance(tree, Setup.imageCache())) {
            System.err.println("up");
            double first = instance.up().took().toNanos() / 1e6;
            try (ApiConnection api = instance.connect()) {
                JsonNode status = api.get("/status");
                report.fact("accelerator", status.path("accel").asString().toUpperCase(Locale.ROOT));
                report.fact("processors", Runtime.getRuntime().availableProcessors());
                report.fact("rounds", rounds);
                report.fact("load_at_start", load());
                report.figure("up_first_ms", first, 1, "", "the server from nothing to its first box, images built");
                new StartFigures(instance, tree, report, rounds).measure();
                new VerbFigures(instance, api, report, rounds).measure();
                new LoadFigures(instance, api, report, options.number(CALLS)).measure();
                new Endurance(instance, api, report, cycles).measure();
                report.fact("load_at_end", load());
            }
        }
        report.print(System.out);
        Path output = options.path(OUTPUT);
        report.write(output);
        System.err.println("written to " + output);
    }

    /** How many processes want a processor, on the average of a minute: figures of a busy host are worth less. */
    private static double load() {
        return Math.round(10 * ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()) / 10.0;
    }
}
