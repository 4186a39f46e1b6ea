package io.boxd.vmm;

import java.time.Duration;

/**
 * A snapshot that was taken.
 *
 * @param pause how long the machine stood still for it
 */
public record SnapshotResult(Snapshot snapshot, Duration pause) {}
