package io.boxd.vmm;

/** What waits in a pool now. */
public record PoolLevel(int husks, int warm) {}
