package io.boxd.vmm;

import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;

/**
 * A private copy of one QEMU with everything it loads, which is the root of its machines' jails.
 *
 * <p>Kept as long as anything needs it: the state of a machine can only be loaded by the very QEMU
 * that saved it, whatever the host upgrades meanwhile.
 */
public record QemuBundle(String key, Path root, int major, int minor) {
    /** Where the program is, seen from inside. */
    static final String PROGRAM = "/usr/bin/qemu-system-x86_64";

    /** A program that may be executed but not read leaves no core dumps with guest memory in them. */
    static final Set<PosixFilePermission> PROGRAM_MODE = PosixFilePermissions.fromString("rwx--x--x");

    private static final String CONTENTS = "contents.json";

    /** The bundle of a key in a folder of bundles. */
    static QemuBundle in(Path bundles, String key, int major, int minor) {
        return new QemuBundle(key, bundles.resolve(key).resolve("root"), major, minor);
    }

    Path program() {
        return root.resolve(PROGRAM.substring(1));
    }

    /** All of it: what machines see and what only we do. */
    Path folder() {
        return Objects.requireNonNull(root.getParent());
    }

    /** The list of its files, out of the machines' sight. */
    Path contents() {
        return folder().resolve(CONTENTS);
    }

    /** From 8.2 a private mapping can be asked to open its file read-only; before, a preload does it. */
    boolean opensMemoryReadOnly() {
        return opensMemoryReadOnly(major, minor);
    }

    static boolean opensMemoryReadOnly(int major, int minor) {
        return major > 8 || (major == 8 && minor >= 2);
    }
}
