package io.boxd.linux;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One tree of control groups below the host's own, on hosts with the unified hierarchy (v2) and on
 * those that still have only the old one (v1).
 */
public final class ControlGroups {
    private static final Path ROOT = Path.of("/sys/fs/cgroup");
    private static final List<String> CONTROLLERS = List.of("memory", "cpu", "pids");
    private static final String CONTROLLERS_HINT = "Enable the memory, cpu and pids controllers of the kernel.";
    private static final String PROCESSES = "cgroup.procs";
    private static final String ACCOUNTING = "cpuacct";
    private static final String ACCOUNTED = "cpuacct.usage";

    private final Path root;
    private final boolean unified;
    private final String tree;

    private ControlGroups(Path root, boolean unified, String tree) {
        this.root = root;
        this.unified = unified;
        this.tree = tree;
    }

    /** What a group may use; shares are relative, 100 being everybody's default. */
    public record Limits(long memoryBytes, int cpuPercent, int processes, int cpuShare) {}

    /** Opens (and makes, where it is missing) the tree of this name. */
    public static ControlGroups open(String tree) {
        return open(ROOT, tree);
    }

    /** Below another root, for tests of the kind of hierarchy that this host does not have. */
    static ControlGroups open(Path root, String tree) {
        boolean unified = Files.exists(root.resolve("cgroup.controllers"));
        ControlGroups groups = new ControlGroups(root, unified, tree);
        groups.requireMounted();
        try {
            for (Path folder : groups.folders("")) {
                Files.createDirectories(folder);
            }
            if (unified) {
                groups.delegate(root);
                groups.delegate(root.resolve(tree));
            }
        } catch (IOException e) {
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE,
                    "cannot use control groups",
                    "boxd needs root and a mounted cgroup file system.",
                    e);
        }
        return groups;
    }

    /** A folder that is only a folder would take every limit and enforce none. */
    private void requireMounted() {
        List<Path> mounts = unified
                ? List.of(root)
                : CONTROLLERS.stream().map(root::resolve).toList();
        for (Path mount : mounts) {
            if (!Files.exists(mount.resolve(PROCESSES))) {
                throw new BoxdException(
                        ErrorCode.UNAVAILABLE, "no control groups are mounted at " + mount, CONTROLLERS_HINT, null);
            }
        }
    }

    public boolean unified() {
        return unified;
    }

    /** Makes one group; whoever enters it writes its pid into {@code cgroup.procs} of each folder. */
    public ControlGroup create(String name, Limits limits) {
        List<Path> made = new ArrayList<>();
        try {
            for (Path folder : folders(name)) {
                made.add(Files.createDirectory(folder));
            }
            ControlGroup group = new ControlGroup(name, made);
            apply(group, limits);
            return group;
        } catch (IOException | BoxdException e) {
            BoxdException failure = new BoxdException(
                    ErrorCode.UNAVAILABLE,
                    "cannot make control group " + name,
                    e instanceof BoxdException known ? known.hint() : null,
                    e);
            try {
                // Only what was made here: a group of this name may belong to somebody.
                remove(new ControlGroup(name, made), Deadline.inMillis(100));
            } catch (BoxdException left) {
                failure.addSuppressed(left);
            }
            throw failure;
        }
    }

    /** The processes in a group, by pid; also one that was ended before it had entered every folder. */
    public List<Integer> processes(ControlGroup group) {
        Set<Integer> processes = new LinkedHashSet<>();
        for (Path folder : group.folders()) {
            processes.addAll(processesOf(folder.resolve(PROCESSES)));
        }
        return List.copyOf(processes);
    }

    private static List<Integer> processesOf(Path file) {
        try {
            return Files.readAllLines(file).stream().map(Integer::valueOf).toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot read " + file, e);
        }
    }

    /**
     * Names of the groups that exist in this tree.
     *
     * <p>On v1 a group is several folders, and who is killed while making or removing it leaves some of them.
     */
    public List<String> names() {
        Set<String> names = new LinkedHashSet<>();
        for (Path folder : folders("")) {
            try (var entries = Files.list(folder)) {
                entries.filter(Files::isDirectory)
                        .map(path -> path.getFileName().toString())
                        .forEach(names::add);
            } catch (IOException e) {
                throw new BoxdException(ErrorCode.INTERNAL, "cannot list control groups", e);
            }
        }
        return List.copyOf(names);
    }

    public ControlGroup find(String name) {
        return new ControlGroup(name, folders(name));
    }

    /** How much of a contended processor the group gets compared to others (100 is the default). */
    public void setCpuShare(ControlGroup group, int share) {
        if (unified) {
            write(group.folders().getFirst().resolve("cpu.weight"), Integer.toString(share));
        } else {
            write(folder("cpu", group.name()).resolve("cpu.shares"), Integer.toString(share * 1024 / 100));
        }
    }

    /**
     * Processor time of all processes that were ever in the group, those that have ended included; none if it is gone
     * or this host does not count.
     */
    public Optional<Duration> cpuTime(ControlGroup group) {
        try {
            if (!unified) {
                String controller = hasAccountingApart() ? ACCOUNTING : "cpu";
                Path file = folder(controller, group.name()).resolve(ACCOUNTED);
                return Optional.of(
                        Duration.ofNanos(Long.parseLong(Files.readString(file).strip())));
            }
            return Files.readAllLines(group.folders().getFirst().resolve("cpu.stat")).stream()
                    .filter(line -> line.startsWith("usage_usec "))
                    .map(line -> Duration.of(Long.parseLong(line.substring(line.indexOf(' ') + 1)), ChronoUnit.MICROS))
                    .findFirst();
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Older hosts count in the same tree in which they share processors, or in one of its own. */
    private boolean hasAccountingApart() {
        return !Files.exists(root.resolve("cpu").resolve(ACCOUNTED))
                && Files.exists(root.resolve(ACCOUNTING).resolve(PROCESSES));
    }

    /** Removes an empty group; its last process may need a moment to be gone. */
    public void remove(ControlGroup group, Deadline deadline) {
        for (Path folder : group.folders()) {
            removeFolder(folder, deadline);
        }
    }

    /** Removes the whole tree, which must hold no group any more. */
    public void removeTree(Deadline deadline) {
        for (Path folder : folders("")) {
            removeFolder(folder, deadline);
        }
    }

    private void removeFolder(Path folder, Deadline deadline) {
        while (true) {
            try {
                Files.deleteIfExists(folder);
                return;
            } catch (DirectoryNotEmptyException e) {
                throw new BoxdException(ErrorCode.INTERNAL, "control group " + folder + " has groups inside", e);
            } catch (FileSystemException e) {
                // The kernel reports an emptied group as busy for a short while and has no event for it.
                if (deadline.passed()) {
                    throw new BoxdException(ErrorCode.INTERNAL, "control group " + folder + " stays busy", e);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            } catch (IOException e) {
                throw new BoxdException(ErrorCode.INTERNAL, "cannot remove control group " + folder, e);
            }
        }
    }

    private List<Path> folders(String name) {
        List<Path> folders = new ArrayList<>();
        if (unified) {
            folders.add(root.resolve(tree).resolve(name));
        } else {
            for (String controller : CONTROLLERS) {
                folders.add(folder(controller, name));
            }
            if (hasAccountingApart()) {
                folders.add(folder(ACCOUNTING, name));
            }
        }
        return folders;
    }

    private Path folder(String controller, String name) {
        return root.resolve(controller).resolve(tree).resolve(name);
    }

    private void apply(ControlGroup group, Limits limits) {
        String quota = Integer.toString(limits.cpuPercent() * 1000);
        if (unified) {
            Path folder = group.folders().getFirst();
            write(folder.resolve("memory.max"), Long.toString(limits.memoryBytes()));
            write(folder.resolve("cpu.max"), quota + " 100000");
            write(folder.resolve("pids.max"), Integer.toString(limits.processes()));
        } else {
            String name = group.name();
            write(folder("memory", name).resolve("memory.limit_in_bytes"), Long.toString(limits.memoryBytes()));
            write(folder("cpu", name).resolve("cpu.cfs_quota_us"), quota);
            write(folder("pids", name).resolve("pids.max"), Integer.toString(limits.processes()));
        }
        setCpuShare(group, limits.cpuShare());
    }

    private void delegate(Path folder) {
        write(folder.resolve("cgroup.subtree_control"), "+memory +cpu +pids");
    }

    private static void write(Path file, String value) {
        try {
            Files.writeString(file, value);
        } catch (IOException e) {
            // The kernel refuses to make a file rather than saying that there is none.
            if (Files.notExists(file)) {
                throw new BoxdException(ErrorCode.UNAVAILABLE, "this host has no " + file, CONTROLLERS_HINT, e);
            }
            throw new BoxdException(ErrorCode.UNAVAILABLE, "cannot set " + file + " to " + value, e);
        }
    }
}
