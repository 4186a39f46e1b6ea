package io.boxd.bench;

import java.util.ArrayList;
import java.util.List;

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
