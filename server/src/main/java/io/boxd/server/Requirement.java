package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A program of the system that boxd runs.
 *
 * @param packageName Debian's
 * @param isStatic whether it must run without any library
 */
record Requirement(String program, String packageName, String reason, boolean isStatic) {
    static final List<Requirement> ALL = List.of(
            of("qemu-system-x86_64", "qemu-system-x86", "runs the machines"),
            of("qemu-img", "qemu-utils", "creates and inspects disk layers"),
            of("mmdebstrap", "mmdebstrap", "builds the Debian image of a machine"),
            of("mke2fs", "e2fsprogs", "makes the file system of an image"),
            of("e2fsck", "e2fsprogs", "checks the file system of an image"),
            new Requirement("busybox", "busybox-static", "the programs of initial ramdisks", true),
            of("ip", "iproute2", "makes network namespaces and taps"),
            of("nft", "nftables", "filters a machine's network"),
            of("nsenter", "util-linux", "runs nft in a machine's network namespace"));

    private static Requirement of(String program, String packageName, String reason) {
        return new Requirement(program, packageName, reason, false);
    }

    /** Where it is. */
    Optional<Path> find(String searchPath) {
        return Stream.concat(Stream.of(searchPath.split(":", -1)), Stream.of("/usr/sbin", "/sbin", "/usr/bin", "/bin"))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .filter(path -> !isStatic || hasNoLibraries(path))
                .findFirst();
    }

    /** A dynamic one would not run in a ramdisk that has no libraries. */
    private static boolean hasNoLibraries(Path path) {
        try {
            return !Command.of("ldd", path.toString())
                    .run(Deadline.inSeconds(10))
                    .succeeded();
        } catch (BoxdException e) {
            return true;
        }
    }
}
