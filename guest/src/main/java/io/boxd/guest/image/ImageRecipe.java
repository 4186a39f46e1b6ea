package io.boxd.guest.image;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What an image is made of; together with the recipe files it decides the image's key.
 *
 * @param packages what it has besides the usual ones
 * @param mirror where packages come from; null for the bootstrap tool's own default
 * @param spareBytes free room on the disk as built; a box's disk grows further when it is made
 */
public record ImageRecipe(
        String name,
        Kind kind,
        Suite suite,
        List<String> packages,
        @Nullable String mirror,
        long spareBytes) {
    private static final long SYSTEM_SPARE_BYTES = 1L << 30;
    private static final long TINY_SPARE_BYTES = 64L << 20;

    /** The two shapes an image can have. */
    public enum Kind {
        /** A whole distribution under systemd. */
        SYSTEM,
        /** Only the agent and a handful of commands, in memory, with an empty disk at /data. */
        TINY
    }

    /** The image a box has unless told otherwise. */
    public static ImageRecipe base() {
        return new ImageRecipe("base", Kind.SYSTEM, Suite.DEBIAN_12, List.of(), null, SYSTEM_SPARE_BYTES);
    }

    public static ImageRecipe ubuntu() {
        return new ImageRecipe("ubuntu", Kind.SYSTEM, Suite.UBUNTU_24_04, List.of(), null, SYSTEM_SPARE_BYTES);
    }

    /** The quickest image to build and to boot, for probing a host and for tests. */
    public static ImageRecipe tiny() {
        return new ImageRecipe("tiny", Kind.TINY, Suite.DEBIAN_12, List.of(), null, TINY_SPARE_BYTES);
    }

    public ImageRecipe {
        packages = List.copyOf(packages);
    }

    /** Another image that has all that this one has, and these packages. */
    public ImageRecipe extended(String newName, List<String> morePackages) {
        List<String> all = Stream.concat(packages.stream(), morePackages.stream())
                .distinct()
                .sorted()
                .toList();
        return new ImageRecipe(newName, kind, suite, all, mirror, spareBytes);
    }

    public ImageRecipe withMirror(String newMirror) {
        return new ImageRecipe(name, kind, suite, packages, newMirror, spareBytes);
    }

    public ImageRecipe withSpareBytes(long newSpareBytes) {
        return new ImageRecipe(name, kind, suite, packages, mirror, newSpareBytes);
    }

    /**
     * Arguments that were measured to help in emulation and do no harm elsewhere: self-tests of ciphers cost 0.6 s,
     * and lock-up detectors fire on every paused machine. {@code reboot=t} makes a restart end the process. Huge pages
     * only for who asks, because a fork copies what was touched and one byte would touch two megabytes.
     */
    List<String> kernelArguments() {
        List<String> common = List.of(
                "console=ttyS0",
                "quiet",
                "reboot=t",
                "panic=-1",
                "net.ifnames=0",
                "cryptomgr.notests",
                "rcupdate.rcu_expedited=1",
                "no_timer_check",
                "nowatchdog",
                "transparent_hugepage=madvise",
                "8250.nr_uarts=1");
        return switch (kind) {
            case SYSTEM ->
                Stream.concat(common.stream(), Stream.of("systemd.show_status=0", "boxd.root=/dev/vda"))
                        .toList();
            case TINY -> common;
        };
    }

    List<String> settleCommand() {
        return switch (kind) {
            case SYSTEM -> List.of("/usr/lib/boxd/settle");
            case TINY -> List.of("/bin/sh", "/etc/boxd/settle");
        };
    }
}
