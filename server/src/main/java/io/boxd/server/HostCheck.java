package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.linux.FreeSpace;
import io.boxd.network.HostObstacles;
import io.boxd.network.Obstacle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Looks at what this host has of all that boxd needs; changes nothing. */
final class HostCheck {
    private static final long NEEDED_BYTES = 4L << 30;
    private static final long WANTED_BYTES = 20L << 30;
    private static final long WANTED_MEMORY_KIB = 2L << 20;
    private static final String EMULATED =
            "machines are emulated: ten to twenty times slower, and emulation is no security boundary (QEMU's own"
                    + " policy): run only code that you trust";

    private final ServerConfig config;
    private final Path root;

    HostCheck(ServerConfig config) {
        this(config, Path.of("/"));
    }

    /** On a host whose special files are below this folder, for tests. */
    HostCheck(ServerConfig config, Path root) {
        this.config = config;
        this.root = root;
    }

    /** Everything; what is missing may hide more. */
    List<Finding> all(Optional<String> acceleratorInUse) {
        List<Finding> findings = new ArrayList<>();
        findings.add(user());
        findings.addAll(programs());
        findings.add(kvm(acceleratorInUse));
        findings.add(controlGroups());
        findings.add(disk());
        findings.add(memory());
        findings.addAll(network());
        findings.add(NameCheck.finding(config));
        return findings;
    }

    static boolean isRoot() {
        try {
            return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException e) {
            return false;
        }
    }

    private static Finding user() {
        return isRoot()
                ? Finding.found("root", "this is root")
                : Finding.missing("root", "the server needs root: it makes namespaces and users", "sudo boxd up");
    }

    static List<Requirement> missingPrograms() {
        String searchPath = Objects.requireNonNullElse(System.getenv("PATH"), "");
        return Requirement.ALL.stream()
                .filter(requirement -> requirement.find(searchPath).isEmpty())
                .toList();
    }

    private static List<Finding> programs() {
        String searchPath = Objects.requireNonNullElse(System.getenv("PATH"), "");
        return Requirement.ALL.stream()
                .map(requirement -> requirement
                        .find(searchPath)
                        .map(path -> Finding.found(requirement.program(), path.toString()))
                        .orElseGet(() -> Finding.missing(
                                requirement.program(),
                                requirement.reason(),
                                "apt-get install " + requirement.packageName())))
                .toList();
    }

    private Finding kvm(Optional<String> inUse) {
        Path device = root.resolve("dev/kvm");
        if (inUse.equals(Optional.of("kvm"))) {
            return Finding.found("kvm", "machines run with it");
        }
        if (!Files.exists(device)) {
            return Finding.degraded(
                    "kvm",
                    "there is no /dev/kvm, so " + EMULATED,
                    "Switch virtualisation on in the firmware or in the cloud's settings, then: modprobe kvm");
        }
        return inUse.isPresent()
                ? Finding.degraded(
                        "kvm",
                        "/dev/kvm is there, but no machine runs with it, so " + EMULATED,
                        "boxd status says why; inside a virtual machine, nested virtualisation must be on.")
                : Finding.found("kvm", "/dev/kvm is there; whether it works is tried when the server starts");
    }

    private Finding controlGroups() {
        if (Files.exists(root.resolve("sys/fs/cgroup/cgroup.controllers"))) {
            return Finding.found("control groups", "version 2");
        }
        if (Files.isDirectory(root.resolve("sys/fs/cgroup/memory"))) {
            return Finding.degraded(
                    "control groups", "version 1, which frees memory less well", "Boot with a version 2 hierarchy.");
        }
        return Finding.missing(
                "control groups", "none are mounted at /sys/fs/cgroup", "mount -t cgroup2 none /sys/fs/cgroup");
    }

    private Finding disk() {
        Path folder = config.home();
        while (!Files.exists(folder)) {
            folder = Objects.requireNonNull(folder.getParent(), "the root exists");
        }
        long free = FreeSpace.of(folder).bytes();
        String detail = (free >> 30) + " GiB free at " + config.home();
        String remedy = "Free some space, or choose another home (home, BOXD_HOME).";
        if (free < NEEDED_BYTES) {
            return Finding.missing("disk", detail + ", " + (NEEDED_BYTES >> 30) + " are needed", remedy);
        }
        return free < WANTED_BYTES
                ? Finding.degraded("disk", detail + ", which is soon full", remedy)
                : Finding.found("disk", detail);
    }

    private Finding memory() {
        try (Stream<String> lines = Files.lines(root.resolve("proc/meminfo"))) {
            long available = lines.filter(line -> line.startsWith("MemAvailable:"))
                    .map(line -> line.replaceAll("[^0-9]", ""))
                    .mapToLong(Long::parseLong)
                    .findFirst()
                    .orElse(0);
            String detail = (available >> 20) + " GiB available";
            return available < WANTED_MEMORY_KIB
                    ? Finding.degraded("memory", detail + ", enough for a few small boxes", "Give this host more.")
                    : Finding.found("memory", detail);
        } catch (IOException e) {
            return Finding.degraded("memory", "/proc/meminfo cannot be read", "Mount /proc.");
        }
    }

    private List<Finding> network() {
        try {
            List<Obstacle> obstacles = HostObstacles.find(InstancePaths.wires(config), Deadline.inSeconds(20));
            if (obstacles.isEmpty()) {
                return List.of(Finding.found("network", "nothing is in the way"));
            }
            return obstacles.stream()
                    .map(obstacle -> obstacle.what().contains("/dev/net/tun")
                            ? Finding.missing("network", obstacle.what(), obstacle.remedy())
                            : Finding.degraded("network", obstacle.what(), obstacle.remedy()))
                    .toList();
        } catch (BoxdException e) {
            String hint = Objects.requireNonNullElse(e.hint(), "Run it as root.");
            return List.of(Finding.degraded("network", "it cannot be looked at: " + e.getMessage(), hint));
        }
    }
}
