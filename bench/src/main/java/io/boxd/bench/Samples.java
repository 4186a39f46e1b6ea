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

    double median() {
        return percentile(50);
    }

    /** The value that this share of all samples does not exceed. */
    double percentile(double percent) {
        List<Double> sorted = values.stream().sorted().toList();
        int rank = (int) Math.ceil(percent / 100 * sorted.size());
        return sorted.get(Math.max(0, rank - 1));
    }
}
