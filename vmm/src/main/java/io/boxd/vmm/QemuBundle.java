package io.boxd.vmm;

import java.nio.file.Path;

/**
 * A private copy of one QEMU with everything it loads, which is the root of its machines' jails.
 *
 * <p>Kept as long as anything needs it: the state of a machine can only be loaded by the very QEMU
 * that saved it, whatever the host upgrades meanwhile.
 */
public record QemuBundle(String key, Path root, int major, int minor) {
    /** Where the program is, seen from inside. */
    static final String PROGRAM = "/usr/bin/qemu-system-x86_64";

    /** From 8.2 a private mapping can be asked to open its file read-only; before, a preload does it. */
    boolean opensMemoryReadOnly() {
        return atLeast(8, 2);
    }

    private boolean atLeast(int wantedMajor, int wantedMinor) {
        return major > wantedMajor || (major == wantedMajor && minor >= wantedMinor);
    }
}
