package io.boxd.meter;

/**
 * What the host has counted for a machine since that was made.
 *
 * @param epoch which machine: another one counts from nothing again
 */
public record Counters(String epoch, long cpuNanos, long receivedBytes, long sentBytes) {}
