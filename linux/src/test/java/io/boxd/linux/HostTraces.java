package io.boxd.linux;

import io.boxd.common.Deadline;
import io.boxd.common.InstanceId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What there is on this host of an instance: processes, interfaces, namespaces, rules, mounts, groups. */
public final class HostTraces {
    private HostTraces() {}

    /** Everything that belongs to the instance in this home, a line each; empty if nothing is left of it. */
    public static List<String> of(Path home) throws IOException {
        String instance = InstanceId.of(home);
        List<String> found = new ArrayList<>(processes(home));
        for (String command : List.of("ip netns list", "ip -o link", "losetup -a", "nft list tables")) {
            Command.of(List.of(command.split(" ", -1)))
                    .check(Deadline.inSeconds(30))
                    .output()
                    .lines()
                    .filter(line -> line.contains(instance) || line.contains(home.toString()) || line.contains("tap0"))
                    .forEach(found::add);
        }
        read(Path.of("/proc/self/mountinfo"))
                .lines()
                .filter(line -> line.contains(home.toString()))
                .forEach(found::add);
        try (Stream<Path> groups = Files.walk(Path.of("/sys/fs/cgroup"), 2)) {
            groups.filter(path -> path.getFileName().toString().contains(instance))
                    .map(Path::toString)
                    .forEach(found::add);
        }
        return found;
    }

    private static List<String> processes(Path home) throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            for (Path process : processes
                    .filter(p -> p.getFileName().toString().matches("\\d+"))
                    .toList()) {
                String command = read(process.resolve("cmdline"));
                if (command.contains(home.toString())
                        || read(process.resolve("maps")).contains(home.toString())) {
                    found.add("process " + process.getFileName() + ": " + command.replace('\0', ' '));
                }
            }
        }
        return found;
    }

    /** Processes come and go while we look. */
    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
