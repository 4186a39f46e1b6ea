package io.boxd.accounts;

/**
 * The most that an account may have at a time.
 *
 * @param boxes asleep or not
 * @param runningBoxes that are awake
 * @param cpus of boxes that are awake
 * @param memoryBytes of boxes that are awake
 * @param diskBytes of all boxes, as large as they may become
 */
public record Quota(int boxes, int runningBoxes, int cpus, long memoryBytes, long diskBytes, int snapshots) {
    private static final int BOXES = 10;
    private static final int CPUS = 20;
    private static final long MEMORY_BYTES = 80L << 30;
    private static final long DISK_BYTES = 1000L << 30;
    private static final int SNAPSHOTS = 1000;

    /** Room for ten boxes of the usual size, all of them awake. */
    public static Quota usual() {
        return new Quota(BOXES, BOXES, CPUS, MEMORY_BYTES, DISK_BYTES, SNAPSHOTS);
    }

    public Quota withBoxes(int number) {
        return new Quota(number, runningBoxes, cpus, memoryBytes, diskBytes, snapshots);
    }
}
