package io.boxd.vmm;

import io.boxd.vmm.ProcessFacts.Mount;
import io.boxd.vmm.ProcessFacts.OpenFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Compares what the kernel tells about a process with what a cell is declared to be, point by point. */
final class JailInspection {
    private static final Set<String> RESTRICTIONS = Set.of("ro", "rw", "nosuid", "nodev", "noexec");
    private static final Set<String> DATA = Set.of("ro", "nosuid", "nodev", "noexec");
    static final List<String> NAMESPACES = List.of("mnt", "pid", "net", "ipc", "uts");

    private final Cell cell;
    private final ProcessFacts facts;
    private final ProcessFacts host =
            new ProcessFacts((int) ProcessHandle.current().pid());
    private final List<String> checked = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();

    private JailInspection(Cell cell, int pid) {
        this.cell = cell;
        this.facts = new ProcessFacts(pid);
    }

    /** Looks at a process that should be the one of this cell. */
    static JailInspection of(Cell cell, int pid) throws IOException {
        JailInspection inspection = new JailInspection(cell, pid);
        inspection.identity();
        inspection.everyTask();
        inspection.namespaces();
        inspection.fileSystem();
        inspection.openFiles();
        inspection.memory();
        inspection.controlGroups();
        inspection.limits();
        inspection.network();
        inspection.traces();
        return inspection;
    }

    List<String> checked() {
        return checked;
    }

    List<String> violations() {
        return violations;
    }

    private void check(String property, Object expected, @Nullable Object actual) {
        checked.add(property);
        if (!Objects.equals(expected, actual)) {
            violations.add(property + ": " + actual + " instead of " + expected);
        }
    }

    private void identity() throws IOException {
        Map<String, String> status = facts.status();
        String uid = Integer.toString(cell.folder().uid());
        String four = String.join(" ", uid, uid, uid, uid);
        check("user ids", four, status.get("Uid"));
        check("group ids", four, status.get("Gid"));
        check("supplementary groups", "", status.get("Groups"));
        for (String set : List.of("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")) {
            check(set, "0000000000000000", status.get(set));
        }
        check("no new privileges", "1", status.get("NoNewPrivs"));
        check("file mask", "0077", status.get("Umask"));
        check("process ids", facts.pid() + " 1", status.get("NSpid"));
        check("locked memory", "0 kB", status.get("VmLck"));
        check("leads its session", Integer.toString(facts.pid()), facts.stat(6));
        check("terminal", "0", facts.stat(7));
        check("niceness", "0", facts.stat(19));
    }

    /** Threads have ids, capabilities and filters of their own. */
    private void everyTask() throws IOException {
        Set<String> ids = new HashSet<>();
        Set<String> capabilities = new HashSet<>();
        Set<String> modes = new HashSet<>();
        boolean bothFilters = true;
        for (Path task : facts.tasks()) {
            Map<String, String> status = ProcessFacts.status(task);
            ids.add(status.get("Uid") + " " + status.get("Gid"));
            capabilities.add(status.get("CapPrm"));
            modes.add(status.get("Seccomp") + " " + status.get("NoNewPrivs"));
            bothFilters &= Integer.parseInt(status.getOrDefault("Seccomp_filters", "0")) >= 2;
        }
        String uid = Integer.toString(cell.folder().uid());
        check("ids of every thread", Set.of(String.join(" ", java.util.Collections.nCopies(8, uid))), ids);
        check("capabilities of every thread", Set.of("0000000000000000"), capabilities);
        check("filter mode of every thread", Set.of("2 1"), modes);
        check("the launcher's filter and QEMU's own on every thread", true, bothFilters);
    }

    private void namespaces() throws IOException {
        for (String kind : NAMESPACES) {
            check("own " + kind + " namespace", false, facts.namespace(kind).equals(host.namespace(kind)));
        }
    }

    private void fileSystem() throws IOException {
        Path root = facts.proc().resolve("root");
        Path bundle = cell.plan().bundle().root();
        check("root is the bundle", ProcessFacts.identity(bundle), ProcessFacts.identity(root.resolve(".")));
        check(
                "stands in the root",
                ProcessFacts.identity(bundle),
                identityOrNone(facts.proc().resolve("cwd")));
        check(
                "program",
                identityOrNone(bundle.resolve(QemuBundle.PROGRAM.substring(1))),
                identityOrNone(facts.proc().resolve("exe")));
        check("disks", ProcessFacts.identity(cell.folder().disk()), identityOrNone(root.resolve("disk")));
        check("base", ProcessFacts.identity(cell.plan().memory()), identityOrNone(root.resolve("base/memory")));
        check("devices", List.of("null"), names(root.resolve("dev")));
        check("mounts", expectedMounts(), restrictions(facts.mounts()));
        Set<String> types = new HashSet<>();
        facts.mounts().forEach(mount -> types.add(mount.type()));
        check("no /proc is mounted", false, types.contains("proc"));
        check("no /sys is mounted", false, types.contains("sysfs"));
        // Its length, not its content, which may be a secret of whoever runs the test.
        check("characters of environment", 0, facts.text("environ").length());
    }

    private Map<String, Set<String>> expectedMounts() {
        Map<String, Set<String>> mounts = new TreeMap<>();
        mounts.put("/", Set.of("ro", "nosuid", "nodev"));
        mounts.put("/dev", Set.of("ro", "nosuid", "noexec"));
        mounts.put(Jail.DISK, Set.of("rw", "nosuid", "nodev", "noexec"));
        mounts.put("/base", DATA);
        mounts.put(Jail.MEMORY, DATA);
        mounts.put(Jail.IMAGE, DATA);
        cell.plan().readOnlyFiles().keySet().forEach(name -> mounts.put(Jail.IMAGE + "/" + name, DATA));
        return mounts;
    }

    private static Map<String, Set<String>> restrictions(List<Mount> mounts) {
        Map<String, Set<String>> found = new TreeMap<>();
        for (Mount mount : mounts) {
            Set<String> options = new HashSet<>(mount.options());
            options.retainAll(RESTRICTIONS);
            found.put(mount.point(), options);
        }
        return found;
    }

    private void openFiles() throws IOException {
        List<OpenFile> files = facts.openFiles();
        OpenFileRules rules = new OpenFileRules(cell, facts);
        List<String> unexplained = new ArrayList<>();
        for (OpenFile file : files) {
            if (!rules.explains(file)) {
                unexplained.add(file.number() + " → " + file.link() + " " + Integer.toOctalString(file.flags()));
            }
        }
        check("every descriptor is explained", List.of(), unexplained);
        check("frozen files open for writing", List.of(), rules.frozenButWritable(files));
    }

    /** Guest memory: however it is written, the base does not change. */
    private void memory() throws IOException {
        Set<String> ways = new HashSet<>();
        String inode = Files.getAttribute(cell.plan().memory(), "unix:ino").toString();
        for (String line : facts.text("maps").lines().toList()) {
            String[] fields = line.split("\\s+", -1);
            if (fields[4].equals(inode)) {
                ways.add(fields[1].substring(3));
            }
        }
        check("the base is mapped privately", Set.of("p"), ways);
    }

    private void controlGroups() throws IOException {
        Map<String, String> groups = facts.controlGroups();
        for (Path folder : cell.group().folders()) {
            // On hosts with one hierarchy the folder lies directly below the root.
            Path relative = Path.of("/sys/fs/cgroup").relativize(folder);
            boolean single = groups.containsKey("") && groups.size() == 1;
            String controller = single ? "" : relative.getName(0).toString();
            Path group = single ? relative : relative.subpath(1, relative.getNameCount());
            check("control group " + controller, "/" + group, groups.get(controller));
            check(
                    "alone in control group " + controller,
                    List.of(Integer.toString(facts.pid())),
                    Files.readAllLines(folder.resolve("cgroup.procs")));
        }
    }

    private void limits() throws IOException {
        Map<String, String> limits = facts.limits();
        long fileBytes = cell.plan().diskBytes() + (1L << 30);
        check("open files", "512 512", limits.get("Max open files"));
        check("processes", "128 128", limits.get("Max processes"));
        check("core", "0 0", limits.get("Max core file size"));
        check("lockable memory", "0 0", limits.get("Max locked memory"));
        check("message queues", "0 0", limits.get("Max msgqueue size"));
        check("file size", fileBytes + " " + fileBytes, limits.get("Max file size"));
        check("real-time priority", "0 0", limits.get("Max realtime priority"));
        check("negative niceness", "0 0", limits.get("Max nice priority"));
        check(
                "goes first when memory runs out",
                "300",
                facts.text("oom_score_adj").strip());
    }

    private void network() throws IOException {
        check("interfaces", Set.of("lo", "tap0"), Set.copyOf(facts.interfaces()));
        // An interface that is up has joined the group of all hosts.
        check(
                "interfaces that are up",
                0L,
                facts.text("net/igmp").lines().skip(1).count());
        check("addresses", "", facts.text("net/if_inet6"));
        check("routes", 0L, facts.text("net/route").lines().skip(1).count());
    }

    private void traces() throws IOException {
        check("leaves no core dumps", 0, facts.ownerOfFiles());
    }

    private static String identityOrNone(Path file) throws IOException {
        return Files.exists(file) ? ProcessFacts.identity(file) : "none";
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }
}
