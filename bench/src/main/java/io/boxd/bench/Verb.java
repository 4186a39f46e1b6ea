package io.boxd.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** One verb, measured several times: what the whole process took, and beside it what else is known of it. */
final class Verb {
    private static final String WALL = "wall";
    private static final double MICROS = 1000;

    private final Map<String, Samples> samples = new LinkedHashMap<>();

    /** Notes a run; returns it. */
    Instance.Run add(Instance.Run run) {
        beside(WALL).add(run.took());
        return run;
    }

    /** What belongs beside the whole under this name, in milliseconds. */
    Samples beside(String name) {
        return samples.computeIfAbsent(name, _ -> new Samples());
    }

    /** Notes fields of an answer that are times, under their own names without the unit. */
    void told(JsonNode answer, String... fields) {
        for (String field : fields) {
            double value = answer.path(field).asDouble(Double.NaN);
            if (Double.isNaN(value)) {
                throw new IllegalArgumentException("the answer has no " + field);
            }
            String name = field.substring(0, field.lastIndexOf('_'));
            beside(name).add(field.endsWith("_us") ? value / MICROS : value);
        }
    }

    /** Medians in milliseconds by name, the whole first. */
    Map<String, Double> medians() {
        Map<String, Double> medians = new LinkedHashMap<>();
        samples.forEach((name, all) -> medians.put(name, all.median()));
        return medians;
    }

    void report(Report report, String name, String meaning) {
        int count = samples.values().stream().mapToInt(Samples::count).min().orElse(0);
        report.figures(name, medians(), count, Map.of(), meaning);
    }
}
