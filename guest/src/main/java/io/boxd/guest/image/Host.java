package io.boxd.guest.image;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** What building needs of this host, checked before anything is begun. */
final class Host {
    private static final Map<String, String> PACKAGE_OF = Map.of("mmdebstrap", "mmdebstrap", "mke2fs", "e2fsprogs");
    private static final Pattern PATH_SEPARATOR = Pattern.compile(Pattern.quote(File.pathSeparator));

    private Host() {}

    static void requireTools(String searchPath) {
        List<String> folders = PATH_SEPARATOR
                .splitAsStream(searchPath + File.pathSeparator + "/usr/sbin")
                .toList();
        List<String> missing = PACKAGE_OF.keySet().stream()
                .filter(tool -> folders.stream().noneMatch(folder -> Files.isExecutable(Path.of(folder, tool))))
                .sorted()
                .toList();
        if (!missing.isEmpty()) {
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE,
                    "building an image needs " + String.join(" and ", missing),
                    "apt-get install "
                            + String.join(
                                    " ", missing.stream().map(PACKAGE_OF::get).toList()),
                    null);
        }
    }

    static void requireRoot() throws IOException {
        if (!Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED, "building an image needs root: its files belong to many users");
        }
    }

    static void requireSpace(Path folder, long bytes) throws IOException {
        long free = Files.getFileStore(folder).getUsableSpace();
        if (free < bytes) {
            throw new BoxdException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "building needs %d MiB in %s, but %d MiB are free".formatted(bytes >> 20, folder, free >> 20),
                    "Free some space, or put the image cache elsewhere (BOXD_IMAGE_CACHE).",
                    null);
        }
    }
}
