package io.boxd.vmm;

/**
 * What decides whether hardware virtualisation works: if none of it changed, the answer has not either.
 *
 * @param kernel the host kernel's release
 * @param cpu the processor's model, as the kernel tells it
 * @param bundle the QEMU
 * @param boot of the host: settings of the hypervisor below it change between two of them
 */
record HostKey(String kernel, String cpu, String bundle, String boot) {}
