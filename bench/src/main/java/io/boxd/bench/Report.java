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
    private record Row(String name, String value, String goal, String meaning) {}

    private final List<Row> rows = new ArrayList<>();
    private final Map<String, Object> figures = new LinkedHashMap<>();

    /** A fact about the run itself. */
    void fact(String name, Object value) {
        figures.put(name, value);
        rows.add(new Row(name, value.toString(), "", ""));
    }

    void figure(String name, double value, String meaning) {
        figure(name, value, "", meaning);
    }

    void figure(String name, double value, String goal, String meaning) {
        figures.put(name, round(value));
        rows.add(new Row(name, format(value), goal, meaning));
    }

    /** Several figures of one kind, for example by megabytes. */
    void figures(String name, Map<String, Double> values, Map<String, String> goals, String meaning) {
        Map<String, Double> rounded = new LinkedHashMap<>();
        values.forEach((key, value) -> {
            rounded.put(key, round(value));
            rows.add(new Row(name + " " + key, format(value), goals.getOrDefault(key, ""), meaning));
        });
        figures.put(name, rounded);
    }

    void print(PrintStream out) {
        int names = rows.stream().mapToInt(row -> row.name().length()).max().orElse(0);
        int values = rows.stream().mapToInt(row -> row.value().length()).max().orElse(0);
        int goals = rows.stream().mapToInt(row -> row.goal().length()).max().orElse(0);
        String line = "%-" + names + "s  %" + values + "s  %-" + Math.max(goals, 4) + "s  %-12s  %s%n";
        out.printf(line, "figure", "here", "goal", "with KVM", "meaning");
        for (Row row : rows) {
            out.printf(line, row.name(), row.value(), row.goal(), kvm(row), row.meaning());
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
        Files.writeString(file, Json.writePretty(figures));
    }

    private static double round(double value) {
        return Math.round(value * 1000) / 1000.0;
    }

    private static String format(double value) {
        return value >= 100 ? "%.0f".formatted(value) : "%.2f".formatted(value);
    }
}
