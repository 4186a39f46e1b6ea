package io.boxd.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How a value developed over many cycles: what it was first and last, and by how much it grew on the way. */
final class Trend {
    private record Point(double cycles, double value) {}

    private final List<Point> points = new ArrayList<>();

    void add(int cycles, double value) {
        points.add(new Point(cycles, value));
    }

    double first() {
        return points.getFirst().value();
    }

    double last() {
        return points.getLast().value();
    }

    int count() {
        return points.size();
    }

    /** What is left when warming up is over: the median of the middle third, to compare the last third with. */
    double middleThird() {
        return median(points.size() / 3, Math.max(points.size() / 3 + 1, 2 * points.size() / 3));
    }

    double lastThird() {
        return median(Math.min(points.size() - 1, 2 * points.size() / 3), points.size());
    }

    private double median(int from, int to) {
        Samples samples = new Samples();
        points.subList(from, to).forEach(point -> samples.add(point.value()));
        return samples.median();
    }

    /** All of that by name. */
    Map<String, Double> summary() {
        Map<String, Double> summary = new LinkedHashMap<>();
        summary.put("first", first());
        summary.put("middle_third", middleThird());
        summary.put("last_third", lastThird());
        summary.put("last", last());
        summary.put("growth", perThousand());
        return summary;
    }

    /** Growth in a thousand cycles, by the line that fits all points best; 0 for a single point. */
    double perThousand() {
        double meanCycles = points.stream().mapToDouble(Point::cycles).average().orElse(0);
        double meanValue = points.stream().mapToDouble(Point::value).average().orElse(0);
        double together = 0;
        double alone = 0;
        for (Point point : points) {
            together += (point.cycles() - meanCycles) * (point.value() - meanValue);
            alone += (point.cycles() - meanCycles) * (point.cycles() - meanCycles);
        }
        return alone == 0 ? 0 : 1000 * together / alone;
    }
}
