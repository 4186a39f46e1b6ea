package io.boxd.vmm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What the kernel tells about one process, read from {@code /proc}. */
record ProcessFacts(int pid) {
    private static final int FILE_KIND = 0170000;
    private static final int CHARACTER_DEVICE = 0020000;

    /** Of an open file: what it is, and how it may be used. */
    record OpenFile(int number, String link, Path path, int flags) {
        private static final int ACCESS_MODE = 3;
        private static final int APPEND = 02000;

        boolean readOnly() {
            return (flags & ACCESS_MODE) == 0;
        }

        boolean appendsOnly() {
            return (flags & ACCESS_MODE) == 1 && (flags & APPEND) != 0;
        }
    }

    /** A mount, as seen from inside. */
    record Mount(String point, List<String> options, String type) {}

    Path proc() {
        return Path.of("/proc", Integer.toString(pid));
    }

    String text(String name) throws IOException {
        return Files.readString(proc().resolve(name), StandardCharsets.ISO_8859_1);
    }

    /** Fields of {@code status}, of the process or of one of its threads. */
    static Map<String, String> status(Path folder) throws IOException {
        Map<String, String> fields = new TreeMap<>();
        for (String line : Files.readAllLines(folder.resolve("status"))) {
            int colon = line.indexOf(':');
            fields.put(
                    line.substring(0, colon), line.substring(colon + 1).strip().replaceAll("\\s+", " "));
        }
        return fields;
    }

    Map<String, String> status() throws IOException {
        return status(proc());
    }

    List<Path> tasks() throws IOException {
        return entries(proc().resolve("task"));
    }

    /** Field of {@code stat} by its number in the manual page. */
    String stat(int field) throws IOException {
        String text = text("stat");
        // The name in parentheses may hold anything, so count fields from its end.
        return text.substring(text.lastIndexOf(')') + 2).split(" ", -1)[field - 3];
    }

    String namespace(String kind) throws IOException {
        return Files.readSymbolicLink(proc().resolve("ns").resolve(kind)).toString();
    }

    /** Name of the limit → soft and hard value. */
    Map<String, String> limits() throws IOException {
        Map<String, String> limits = new TreeMap<>();
        for (String line : text("limits").lines().skip(1).toList()) {
            String[] values = line.substring(26).strip().split("\\s+", -1);
            limits.put(line.substring(0, 26).strip(), values[0] + " " + values[1]);
        }
        return limits;
    }

    List<Mount> mounts() throws IOException {
        List<Mount> mounts = new ArrayList<>();
        for (String line : text("mountinfo").lines().toList()) {
            String[] fields = line.split(" ", -1);
            String type = line.substring(line.indexOf(" - ") + 3).split(" ", -1)[0];
            mounts.add(new Mount(fields[4], List.of(fields[5].split(",", -1)), type));
        }
        return mounts;
    }

    /** Controller (empty on hosts with one hierarchy) → path of the group. */
    Map<String, String> controlGroups() throws IOException {
        Map<String, String> groups = new LinkedHashMap<>();
        for (String line : text("cgroup").lines().toList()) {
            String[] fields = line.split(":", 3);
            for (String controller : fields[1].split(",", -1)) {
                groups.put(controller, fields[2]);
            }
        }
        return groups;
    }

    List<OpenFile> openFiles() throws IOException {
        List<OpenFile> files = new ArrayList<>();
        for (Path entry : entries(proc().resolve("fd"))) {
            int number = Integer.parseInt(entry.getFileName().toString());
            String flags = text("fdinfo/" + number)
                    .lines()
                    .filter(line -> line.startsWith("flags:"))
                    .findFirst()
                    .orElseThrow()
                    .substring(6)
                    .strip();
            String link = Files.readSymbolicLink(entry).toString();
            files.add(new OpenFile(number, link, entry, Integer.parseInt(flags, 8)));
        }
        return files;
    }

    /** Names of the network interfaces that the process sees. */
    List<String> interfaces() throws IOException {
        return text("net/dev")
                .lines()
                .skip(2)
                .map(line -> line.substring(0, line.indexOf(':')).strip())
                .toList();
    }

    /** Who may look at the process: root alone if it leaves no core dumps, otherwise its own user too. */
    int ownerOfFiles() throws IOException {
        return (int) Files.getAttribute(proc().resolve("environ"), "unix:uid");
    }

    /** Device and number: the same file, whatever its path. */
    static String identity(Path file, LinkOption... options) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(file, "unix:dev,ino", options);
        return attributes.get("dev") + ":" + attributes.get("ino");
    }

    /** Which device a device file stands for. */
    static long device(Path file) throws IOException {
        return (long) Files.getAttribute(file, "unix:rdev");
    }

    static boolean isCharacterDevice(Path file) throws IOException {
        return ((int) Files.getAttribute(file, "unix:mode") & FILE_KIND) == CHARACTER_DEVICE;
    }

    private static List<Path> entries(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.toList();
        }
    }
}
