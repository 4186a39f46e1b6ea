package io.boxd.network;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The host's interfaces, as the kernel's files show them: no program is started. */
final class Interfaces {
    private static final Path ALL = Path.of("/sys/class/net");

    private Interfaces() {}

    static List<String> names() {
        try (Stream<Path> entries = Files.list(ALL)) {
            return entries.filter(Files::isDirectory)
                    .map(entry -> entry.getFileName().toString())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot list interfaces", e);
        }
    }

    static boolean exists(String name) {
        return Files.exists(ALL.resolve(name));
    }

    static int index(String name) {
        return (int) number(name, "ifindex");
    }

    static long statistic(String name, String which) {
        return number(name, "statistics/" + which);
    }

    private static long number(String name, String file) {
        try {
            return Long.parseLong(
                    Files.readString(ALL.resolve(name).resolve(file)).strip());
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.NOT_FOUND, "there is no interface " + name, e);
        }
    }
}
