package io.boxd.accounts;

/**
 * The most that the boxes of an organisation may have together.
 *
 * @param boxes asleep or not
 * @param cpus of boxes that are awake
 * @param memoryBytes of boxes that are awake
 */
public record Pool(int boxes, int cpus, long memoryBytes) {}
