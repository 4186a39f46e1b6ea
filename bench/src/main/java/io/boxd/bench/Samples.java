package io.boxd.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Repeated measurements of one thing. */
final class Samples {
    private final List<Double> values = new ArrayList<>();

    void add(double value) {
        values.add(value);
    }

    /** In milliseconds. */
    void add(Duration took) {
        add(took.toNanos() / 1e6);
    }

    int count() {
        return values.size();
    }

    /** Between the two in the middle, when there are two: the better of them alone would flatter. */
    double median() {
        List<Double> sorted = sorted();
        int upper = sorted.size() / 2;
        int lower = (sorted.size() - 1) / 2;
        return (sorted.get(lower) + sorted.get(upper)) / 2;
    }

    /** The value that this share of all samples does not exceed. */
    double percentile(double percent) {
        List<Double> sorted = sorted();
        int rank = (int) Math.ceil(percent / 100 * sorted.size());
        return sorted.get(Math.max(0, rank - 1));
    }

    private List<Double> sorted() {
        return values.stream().sorted().toList();
    }
}
