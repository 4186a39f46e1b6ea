package io.boxd.vmm;

import java.util.List;

/** The view that a jailed QEMU has: paths and descriptor numbers agreed on with the launcher. */
final class Jail {
    static final String DISK = "/disk";
    static final String IMAGE = "/image";
    static final String MEMORY = "/base/memory";

    static final int QMP_FD = 3;
    static final int AGENT_FD = 4;
    static final int CONSOLE_FD = 5;
    static final int TAP_FD = 6;
    static final int INCOMING_FD = 7;
    static final int SAVED_FD = 8;

    /** Empty folders that the root of every jail must have, to mount on. */
    static final List<String> MOUNT_POINTS = List.of("dev", "disk", "base", "image");

    private Jail() {}
}
