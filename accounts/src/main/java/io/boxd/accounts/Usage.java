package io.boxd.accounts;

import java.util.Collection;
import java.util.List;

/**
 * What somebody has at a moment, in the units of a {@link Quota}.
 *
 * @param boxes asleep or not
 * @param runningBoxes those that are awake, to which processors and memory belong
 */
public record Usage(int boxes, int runningBoxes, int cpus, long memoryBytes, long diskBytes, int snapshots) {
    public static Usage none() {
        return new Usage(0, 0, 0, 0, 0, 0);
    }

    /** What these boxes take; a box that sleeps keeps its place and its disk, and gives the rest back. */
    public static Usage of(Collection<Holding> boxes, int snapshots) {
        List<Holding> awake = boxes.stream().filter(Holding::awake).toList();
        return new Usage(
                boxes.size(),
                awake.size(),
                awake.stream().mapToInt(Holding::cpus).sum(),
                awake.stream().mapToLong(Holding::memoryBytes).sum(),
                boxes.stream().mapToLong(Holding::diskBytes).sum(),
                snapshots);
    }

    /** What it takes more to wake these boxes. */
    public static Usage ofWaking(Collection<Holding> boxes) {
        return new Usage(
                0,
                boxes.size(),
                boxes.stream().mapToInt(Holding::cpus).sum(),
                boxes.stream().mapToLong(Holding::memoryBytes).sum(),
                0,
                0);
    }
}
