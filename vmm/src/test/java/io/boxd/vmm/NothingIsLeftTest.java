package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs last: closes the engine that all tests shared and looks for anything of it on the host. */
@Tag("machine")
@Tag("jail")
@Order(Integer.MAX_VALUE)
class NothingIsLeftTest {
    @Test
    void ofTheSharedEngine() throws IOException {
        TestHouse house = TestHouse.get();
        Path home = house.home();
        String instance = Engine.instanceId(home);
        assertThat(folders(home.resolve("cells"))).as("cells").isEmpty();
        TestHouse.close();
        assertThat(folders(home.resolve("layers"))).as("layers").isEmpty();
        assertThat(folders(home.resolve("snapshots"))).as("snapshots").isEmpty();
        // Those of images are links that the next engine uses again; none made from a machine may be left.
        assertThat(folders(home.resolve("bases")))
                .as("bases")
                .allMatch(base -> base.matches(".*/(blank-)?[0-9a-f]{26,32}"));
        TestHouse.deleteHome(home);
        assertThat(leftovers(home, instance)).isEmpty();
    }

    private static List<String> leftovers(Path home, String instance) throws IOException {
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
        for (String command : List.of("ip netns list", "ip -o link", "losetup -a", "nft list tables")) {
            Command.of(List.of(command.split(" ", -1)))
                    .check(Deadline.inSeconds(10))
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

    private static List<String> folders(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(Path::toString).toList();
        }
    }

    /** Processes come and go while we look. */
    private static String read(Path file) {
        try {
            return Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
