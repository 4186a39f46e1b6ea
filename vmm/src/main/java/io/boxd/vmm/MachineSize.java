package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;

/** How large a machine is: processors, nominal memory, nominal disk. */
public record MachineSize(int cpus, long memoryBytes, long diskBytes) {
    public static final long MIB = 1L << 20;
    public static final long GIB = 1L << 30;

    public static final int MAX_CPUS = 16;
    public static final long MIN_MEMORY = 128 * MIB;
    public static final long MAX_MEMORY = 64 * GIB;
    public static final long MIN_DISK = 16 * MIB;
    public static final long MAX_DISK = Qcow2Overlay.MAX_BYTES;

    public MachineSize {
        check(cpus >= 1 && cpus <= MAX_CPUS, "1 to " + MAX_CPUS + " processors, not " + cpus);
        check(
                memoryBytes >= MIN_MEMORY && memoryBytes <= MAX_MEMORY && memoryBytes % MIB == 0,
                "whole MiB of memory from 128 MiB to 64 GiB, not " + memoryBytes + " bytes");
        check(
                diskBytes >= MIN_DISK && diskBytes <= MAX_DISK && diskBytes % MIB == 0,
                "whole MiB of disk from 16 MiB to 2 TiB, not " + diskBytes + " bytes");
    }

    private static void check(boolean condition, String allowed) {
        if (!condition) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "a machine has " + allowed);
        }
    }
}
