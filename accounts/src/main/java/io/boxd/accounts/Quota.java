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
    public Quota withBoxes(int number) {
        return new Quota(number, runningBoxes, cpus, memoryBytes, diskBytes, snapshots);
    }
}
