package io.boxd.guest.image;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.nio.file.Path;

/** Expands files in place with the host's own programs; Java has no xz or zstd. */
final class Compression {
    private Compression() {}

    /** Replaces {@code name.suffix} by {@code name}. */
    static void expand(String program, Path packed, Deadline deadline) {
        Command.of(program, "-d", "-q", "-f", packed.toString()).check(deadline);
    }

    /** The program that packed a file of this name; empty when it is not packed. */
    static String programFor(String fileName) {
        if (fileName.endsWith(".xz")) {
            return "xz";
        }
        if (fileName.endsWith(".zst")) {
            return "zstd";
        }
        return fileName.endsWith(".gz") ? "gzip" : "";
    }
}
