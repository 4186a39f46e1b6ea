package io.boxd.vmm;

/** Why a machine runs no more. */
public enum EndReason {
    /** The guest switched itself off. */
    POWERED_OFF,
    /** The guest asked to be restarted; its disk is to be booted again. */
    REBOOT_REQUESTED,
    /** The guest's kernel gave up. */
    PANICKED,
    /** We ended it. */
    DESTROYED,
    /** The QEMU process died without the guest asking for it. */
    PROCESS_DIED
}
