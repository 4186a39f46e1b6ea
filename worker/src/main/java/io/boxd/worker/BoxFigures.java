package io.boxd.worker;

import java.time.Duration;

/**
 * What a box uses on this host.
 *
 * @param cpuPercent of one processor, since it was last asked; as its host sees it
 * @param memoryBytes that only this box takes
 * @param receivedBytes over its wire since it got it
 * @param sentBytes over its wire since it got it
 * @param inStatus for how long it has had its status
 */
public record BoxFigures(
        Box box, double cpuPercent, long memoryBytes, long receivedBytes, long sentBytes, Duration inStatus) {}
