package io.boxd.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a program where root has an empty home.
 *
 * <p>Login shells read the profile of whoever runs the tests. Those can be slow, and one that is killed while it reads
 * can leave a lock behind that makes every later one wait.
 */
public final class EmptyHome {
    private static final String ROOT = "root:";
    private static final int HOME_FIELD = 5;
    private static final String HOME = "home";
    private static final String USERS = "passwd";
    private static final String SCRIPT = "mount --bind \"$1\" /etc/passwd && shift && exec \"$@\"";

    private EmptyHome() {}

    /** The same command with root's home in a folder of the test's; unchanged for others, who cannot do that. */
    public static List<String> around(List<String> command, Path folder) throws IOException {
        if (!Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
            return command;
        }
        Path home = Files.createDirectory(folder.resolve(HOME));
        List<String> users = Files.readAllLines(Path.of("/etc/passwd")).stream()
                .map(line -> line.startsWith(ROOT) ? withHome(line, home) : line)
                .toList();
        Path passwd = Files.write(folder.resolve(USERS), users);
        List<String> wrapped =
                new ArrayList<>(List.of("unshare", "--mount", "--propagation", "slave", "sh", "-c", SCRIPT, "sh"));
        wrapped.add(passwd.toString());
        wrapped.addAll(command);
        return wrapped;
    }

    /** Deletes what {@link #around} has put into the folder. */
    public static void remove(Path folder) throws IOException {
        Files.deleteIfExists(folder.resolve(USERS));
        FileOwner.deleteTree(folder.resolve(HOME));
    }

    private static String withHome(String line, Path home) {
        String[] fields = line.split(":", -1);
        fields[HOME_FIELD] = home.toString();
        return String.join(":", fields);
    }
}
