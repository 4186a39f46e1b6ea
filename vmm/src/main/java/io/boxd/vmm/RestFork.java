package io.boxd.vmm;

/**
 * Copies of a machine that does not run.
 *
 * @param source what it is from now on
 */
public record RestFork(Remains source, ForkResult result) {}
