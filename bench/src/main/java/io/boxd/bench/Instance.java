package io.boxd.bench;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.InstanceId;
import io.boxd.common.Json;
import io.boxd.linux.Command;
import io.boxd.linux.FileOwner;
import io.boxd.linux.HostProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * The program of this tree with a home of its own, used as people do: a process for each command.
 *
 * <p>Ends with all its boxes when it is closed, also when whoever measures is interrupted.
 */
final class Instance implements AutoCloseable {
    private static final Duration LOOK = Duration.ofSeconds(1);
    /** Of one processor, all machines together: those that only wait use about one. */
    private static final int QUIET_PERCENT = 8;

    private final Path program;
    private final Path folder;
    private final Map<String, String> environment;
    private volatile boolean closing;
    private boolean closed;

    Instance(Path tree, Path cache) throws IOException {
        program = tree.resolve("boxd");
        folder = Files.createTempDirectory("boxd-bench-");
        environment = Map.ofEntries(
                Map.entry("BOXD_HOME", home().toString()),
                Map.entry("BOXD_HTTP_PORT", "0"),
                Map.entry("BOXD_HTTPS_PORT", "0"),
                Map.entry("BOXD_SSH_PORT", "0"),
                Map.entry("BOXD_DNS_PORT", "0"),
                Map.entry("BOXD_REGISTRY", "/run/boxd-test/registry"),
                Map.entry("BOXD_IMAGE_CACHE", cache.toString()),
                Map.entry("BOXD_QUOTA_BOXES", "100"),
                Map.entry("BOXD_IDLE", "off"),
                // Not those of another server, which the caller may use.
                Map.entry("BOXD_URL", ""),
                Map.entry("BOXD_TOKEN", ""));
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(this::close));
    }

    /** Its data; outside of it, in {@link #folder}, is room for files of whoever measures. */
    private Path home() {
        return folder.resolve("home");
    }

    Path folder() {
        return folder;
    }

    /** What a command took, from before its process to after its end, and what it printed. */
    record Run(Duration took, String output) {
        JsonNode json() {
            return Json.parse(output);
        }
    }

    /** Runs {@code boxd} with these words, which must succeed. */
    Run boxd(String... words) {
        return run(
                Stream.concat(Stream.of(program.toString()), Stream.of(words)).toList());
    }

    /** Runs another program, for comparison. */
    Run run(List<String> argv) {
        if (closing) {
            throw new IllegalStateException("the instance is being closed");
        }
        return start(argv);
    }

    private Run start(List<String> argv) {
        Command command = Command.of(argv);
        for (Map.Entry<String, String> each : environment.entrySet()) {
            command = command.withEnvironment(each.getKey(), each.getValue());
        }
        long start = System.nanoTime();
        Command.Result result = command.check(Deadline.in(Duration.ofMinutes(20)));
        return new Run(Duration.ofNanos(System.nanoTime() - start), result.output());
    }

    /** Starts the server. */
    Run up() {
        return start(List.of(program.toString(), "up"));
    }

    ApiConnection connect() throws IOException {
        return new ApiConnection(
                facts().path("url").asString(),
                Files.readString(home().resolve("token")).strip());
    }

    long serverPid() throws IOException {
        return facts().path("pid").asLong();
    }

    private JsonNode facts() throws IOException {
        return Json.parse(Files.readString(home().resolve("server.json")));
    }

    /**
     * Waits until machines and server have nothing to do: whatever is made ahead is ready then, and what was destroyed
     * is gone. The server does not tell, its processor time does.
     */
    void awaitQuiet() throws IOException {
        Deadline deadline = Deadline.inSeconds(120);
        Duration used = cpuTime();
        while (true) {
            LockSupport.parkNanos(LOOK.toNanos());
            Duration now = cpuTime();
            if (now.minus(used).abs().toNanos() * 100 < LOOK.toNanos() * QUIET_PERCENT) {
                return;
            }
            if (deadline.passed()) {
                throw deadline.exceeded("waiting for a quiet moment of the instance");
            }
            used = now;
        }
    }

    private Duration cpuTime() throws IOException {
        Duration sum = Duration.ZERO;
        for (HostProcess process : processes()) {
            sum = sum.plus(process.cpuTime());
        }
        return sum;
    }

    /** The server and what runs in the control groups of this instance. */
    private List<HostProcess> processes() throws IOException {
        String group = "/boxd-" + InstanceId.of(home());
        int server = Math.toIntExact(serverPid());
        List<HostProcess> found = new ArrayList<>();
        for (ProcessHandle handle : (Iterable<ProcessHandle>) ProcessHandle.allProcesses()::iterator) {
            int pid = Math.toIntExact(handle.pid());
            if (pid == server || groups(pid).contains(group)) {
                HostProcess.of(pid).ifPresent(found::add);
            }
        }
        return found;
    }

    private static String groups(int pid) {
        try {
            return Files.readString(Path.of("/proc", Integer.toString(pid), "cgroup"));
        } catch (IOException e) {
            return ""; // It has ended meanwhile.
        }
    }

    @Override
    public synchronized void close() {
        closing = true;
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (Files.exists(home())) {
                destroyBoxes();
                start(List.of(program.toString(), "down"));
            }
        } catch (IOException e) {
            throw new IllegalStateException("the instance in " + folder + " could not be ended", e);
        }
        FileOwner.deleteTree(folder);
    }

    /** With the help of a server: one that is still starting, or has failed, is waited for or started anew. */
    private void destroyBoxes() throws IOException {
        Deadline deadline = Deadline.in(Duration.ofMinutes(5));
        while (!isUp()) {
            if (deadline.passed()) {
                throw deadline.exceeded("a server that destroys what was measured");
            }
            LockSupport.parkNanos(LOOK.toNanos());
        }
        List<String> line = new ArrayList<>(List.of(program.toString(), "destroy"));
        for (JsonNode box : Json.parse(
                start(List.of(program.toString(), "list", "--all", "--json")).output())) {
            line.add(box.path("id").asString());
        }
        if (line.size() > 2) {
            start(line);
        }
    }

    private boolean isUp() throws IOException {
        try {
            up();
            return true;
        } catch (BoxdException e) {
            System.err.println(e.getMessage());
            return false;
        }
    }
}
