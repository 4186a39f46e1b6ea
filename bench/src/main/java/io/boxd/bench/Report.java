package io.boxd.bench;

import io.boxd.common.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects figures, prints them as a table and writes them as JSON. */
final class Report {
    private record Row(String name, String value, String samples, String goal, String meaning) {}

    private final List<Row> rows = new ArrayList<>();
    private final Map<String, Object> figures = new LinkedHashMap<>();
    private final Map<String, Integer> sampleCounts = new LinkedHashMap<>();

    /** A fact about the run itself. */
    void fact(String name, Object value) {
        figures.put(name, value);
        rows.add(new Row(name, value.toString(), "", "", ""));
    }

    void median(String name, Samples samples, String meaning) {
        median(name, samples, "", meaning);
    }

    void median(String name, Samples samples, String goal, String meaning) {
        figure(name, samples.median(), samples.count(), goal, meaning);
    }

    /** A figure computed from others, or from {@code samples} measurements. */
    void figure(String name, double value, int samples, String goal, String meaning) {
        figures.put(name, round(value));
        sampleCounts.put(name, samples);
        rows.add(new Row(name, format(value), Integer.toString(samples), goal, meaning));
    }

    /** Several figures of one kind, for example by megabytes, each from so many measurements. */
    void figures(String name, Map<String, Double> values, int samples, Map<String, String> goals, String meaning) {
        Map<String, Double> rounded = new LinkedHashMap<>();
        values.forEach((key, value) -> {
            rounded.put(key, round(value));
            rows.add(new Row(
                    name + " " + key, format(value), Integer.toString(samples), goals.getOrDefault(key, ""), meaning));
        });
        figures.put(name, rounded);
        sampleCounts.put(name, samples);
    }

    void print(PrintStream out) {
        int names = rows.stream().mapToInt(row -> row.name().length()).max().orElse(0);
        int values = rows.stream().mapToInt(row -> row.value().length()).max().orElse(0);
        int goals = rows.stream().mapToInt(row -> row.goal().length()).max().orElse(0);
        String line = "%-" + names + "s  %" + values + "s  %7s  %-" + Math.max(goals, 4) + "s  %-12s  %s%n";
        out.printf(line, "figure", "here", "samples", "goal", "with KVM", "meaning");
        for (Row row : rows) {
            out.printf(line, row.name(), row.value(), row.samples(), row.goal(), kvm(row), row.meaning());
        }
    }

    private String kvm(Row row) {
        return "KVM".equals(figures.get("accelerator")) ? row.value() : "not measured";
    }

    void write(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        Map<String, Object> all = new LinkedHashMap<>(figures);
        all.put("samples", sampleCounts);
        Files.writeString(file, Json.writePretty(all));
    }

    private static double round(double value) {
        return Math.round(value * 1000) / 1000.0;
    }

    private static String format(double value) {
        return value >= 100 ? "%.0f".formatted(value) : "%.2f".formatted(value);
    }
}
