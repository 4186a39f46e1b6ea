package io.boxd.vmm;

/**
 * What machines can run with on this host.
 *
 * @param reason why, in words for the person who runs the host
 * @param remembered whether an earlier trial decided it
 */
public record ProbeResult(Accelerator accelerator, String reason, boolean remembered) {}
