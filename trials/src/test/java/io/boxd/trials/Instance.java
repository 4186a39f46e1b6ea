package io.boxd.trials;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.linux.Command;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * An instance of the program of its own, used as a person does: {@code ./boxd} in a folder.
 *
 * <p>What it leaves behind when it is closed is a failure of the test.
 */
final class Instance implements AutoCloseable {
    static final boolean LONG = Boolean.getBoolean("boxd.test.long");
    static final Path REPOSITORY = repository();

    private static final int PATIENCE_SECONDS = LONG ? 1800 : 240;

    private static final Map<String, String> TINY = Map.of(
            "BOXD_IMAGE", "tiny", "BOXD_CPUS", "1", "BOXD_MEMORY", "256M", "BOXD_DISK", "256M", "BOXD_IDLE", "off");

    private final Path folder;
    private final Map<String, String> environment = new HashMap<>();

    private Instance(Map<String, String> settings) throws IOException {
        assertThat(REPOSITORY.resolve("target/program/launch"))
                .as("the program, which ./dev test puts together")
                .isExecutable();
        folder = Files.createTempDirectory("boxd-trial");
        Files.createSymbolicLink(folder.resolve("boxd"), REPOSITORY.resolve("boxd"));
        // Whoever types here has no keys and no contexts, and leaves none.
        environment.put("HOME", Files.createDirectory(folder.resolve("person")).toString());
        environment.put("BOXD_HOME", home().toString());
        environment.put("BOXD_REGISTRY", "/run/boxd-test/registry");
        environment.put("BOXD_IMAGE_CACHE", System.getProperty("boxd.image.cache", "/var/cache/boxd"));
        environment.put("BOXD_HTTP_PORT", "0");
        environment.put("BOXD_HTTPS_PORT", "0");
        environment.put("BOXD_SSH_PORT", "0");
        environment.put("BOXD_QUOTA_BOXES", "200");
        environment.putAll(settings);
    }

    /** One with the usual image, and boxes of the usual size. */
    static Instance usual() throws IOException {
        return new Instance(Map.of());
    }

    /** One whose boxes are as small as can be. */
    static Instance tiny() throws IOException {
        return tiny(Map.of());
    }

    /** One of small boxes, with these settings besides. */
    static Instance tiny(Map<String, String> more) throws IOException {
        Map<String, String> settings = new HashMap<>(TINY);
        settings.putAll(more);
        return new Instance(settings);
    }

    Path folder() {
        return folder;
    }

    Path home() {
        return folder.resolve("home");
    }

    /** Types a line into a shell in the folder where {@code ./boxd} is. */
    Command.Result type(String line) {
        return command("sh", "-c", line).run(Deadline.inSeconds(PATIENCE_SECONDS));
    }

    /** Types a line that must succeed; what it printed. */
    String must(String line) {
        Command.Result result = type(line);
        assertThat(result.status())
                .as("%s\n%s%s", line, result.output(), result.errors())
                .isZero();
        return result.output();
    }

    /** The JSON that a line prints, which must succeed. */
    JsonNode json(String line) {
        return Json.parse(must(line));
    }

    /** Types a line that must fail with this status and say this. */
    void refuses(String line, int status, String message) {
        Command.Result result = type(line);
        assertThat(result.errors()).as(line).contains(message);
        assertThat(result.status()).as(line).isEqualTo(status);
        assertThat(result.output()).as(line).isEmpty();
    }

    /** A program that goes on beside the test. */
    Process begin(String line) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", "exec " + line).directory(folder.toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }

    private Command command(String... argv) {
        Command command = Command.of(argv).withDirectory(folder);
        for (Map.Entry<String, String> each : environment.entrySet()) {
            command = command.withEnvironment(each.getKey(), each.getValue());
        }
        return command;
    }

    void destroyAll() {
        List<String> names = new ArrayList<>();
        json("./boxd list --all --json")
                .forEach(box -> names.add(box.path("name").asString()));
        if (!names.isEmpty()) {
            must("./boxd destroy " + String.join(" ", names));
        }
    }

    @Override
    public void close() throws IOException {
        try {
            if (Files.exists(home().resolve("server.json"))) {
                type("./boxd up");
                destroyAll();
            }
            must("./boxd down --boxes");
            awaitNoProcess();
        } finally {
            FileOwner.deleteTree(folder);
        }
    }

    /** Something that comes true by and by. */
    interface Condition {
        boolean holds() throws IOException;
    }

    static void await(String what, Condition condition, Deadline deadline) throws IOException {
        while (!condition.holds()) {
            assertThat(deadline.passed()).as("%s did not come in time", what).isFalse();
            LockSupport.parkNanos(20_000_000);
        }
    }

    /** The kernel needs a moment to take apart what was ended. */
    void awaitNoProcess() throws IOException {
        await("the end of all processes", () -> processes().isEmpty(), Deadline.inSeconds(20));
    }

    /** All processes that have to do with this instance, with their command lines. */
    SequencedMap<Long, String> processes() throws IOException {
        SequencedMap<Long, String> found = new LinkedHashMap<>();
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            for (Path process : (Iterable<Path>) processes.filter(Instance::isProcess)::iterator) {
                String line = read(process.resolve("cmdline")).replace('\0', ' ');
                // In their jail machines know nothing of the folder, but their control group has the instance's name.
                if (line.contains(folder.toString())
                        || read(process.resolve("cgroup")).contains(name())) {
                    found.put(Long.valueOf(process.getFileName().toString()), line);
                }
            }
        }
        return found;
    }

    /** What everything that this instance makes on the host is called after. */
    private String name() {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(home().toString().getBytes(UTF_8));
            return "boxd-" + HexFormat.of().formatHex(hash).substring(0, 6);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isProcess(Path folder) {
        return folder.getFileName().toString().chars().allMatch(Character::isDigit);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException _) {
            return "";
        }
    }

    private static Path repository() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.exists(at.resolve("Cargo.toml"))) {
            at = at.getParent();
            if (at == null) {
                throw new IllegalStateException("run from inside the repository");
            }
        }
        return at;
    }
}
