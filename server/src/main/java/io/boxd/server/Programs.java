package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where boxd's own helpers are: beside the program, or in a source tree where they were built.
 *
 * @param agent runs inside machines
 * @param launcher jails a QEMU
 * @param preload makes an old QEMU open its memory file read-only
 */
record Programs(Path agent, Path launcher, Path preload) {
    /** The folder that has all three, when whoever starts this program knows it. */
    private static final String PROPERTY = "boxd.programs";

    private static final String AGENT = "boxd-agent";
    private static final String LAUNCHER = "boxd-launcher";
    private static final String PRELOAD = "libboxd_readonly_base.so";

    static Programs find() {
        Optional<String> named = Optional.ofNullable(System.getProperty(PROPERTY));
        if (named.isPresent()) {
            return inOneFolder(Path.of(named.get()).toAbsolutePath());
        }
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path built = folder.resolve("target");
            Programs programs = new Programs(
                    built.resolve("release").resolve(AGENT),
                    built.resolve("release").resolve(LAUNCHER),
                    built.resolve("shared/release").resolve(PRELOAD));
            if (programs.areThere()) {
                return programs;
            }
        }
        throw missing("below " + Path.of("").toAbsolutePath());
    }

    private static Programs inOneFolder(Path folder) {
        Programs programs = new Programs(folder.resolve(AGENT), folder.resolve(LAUNCHER), folder.resolve(PRELOAD));
        if (!programs.areThere()) {
            throw missing("in " + folder);
        }
        return programs;
    }

    private boolean areThere() {
        return Files.isExecutable(agent) && Files.isExecutable(launcher) && Files.isRegularFile(preload);
    }

    private static BoxdException missing(String where) {
        return new BoxdException(
                ErrorCode.NOT_FOUND,
                "boxd's own programs are not " + where,
                "In a source tree, ./dev build makes them.",
                null);
    }
}
