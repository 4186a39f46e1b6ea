package io.boxd.vmm;

/**
 * One instant of a machine, kept on disk: memory, devices and disk, until it is forgotten.
 *
 * @param identity the machine's at that instant
 * @param base what its memory is relative to
 * @param bytes that it takes on disk, without the layers it shares with others
 */
public record Snapshot(String id, Identity identity, String base, long bytes) {}
