package io.boxd.trials;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * An instance of the program of its own, used as a person does: {@code ./boxd} in a folder.
 *
 * <p>What it leaves behind when it is closed is a failure of the test.
 */
final class Instance extends Seat implements AutoCloseable {
    static final Path REPOSITORY = repository();

    private static final Map<String, String> TINY = Map.of(
            "BOXD_IMAGE", "tiny", "BOXD_CPUS", "1", "BOXD_MEMORY", "256M", "BOXD_DISK", "256M", "BOXD_IDLE", "off");

    private Instance(Map<String, String> settings) throws IOException {
        this(Files.createTempDirectory("boxd-trial"), settings);
    }

    private Instance(Path folder, Map<String, String> settings) throws IOException {
        super(folder, List.of(), variables(folder, settings));
        assertThat(REPOSITORY.resolve("target/program/launch"))
                .as("the program, which ./dev test puts together")
                .isExecutable();
        Files.createDirectory(folder.resolve("person"));
        Files.createSymbolicLink(folder.resolve("boxd"), REPOSITORY.resolve("boxd"));
    }

    private static Map<String, String> variables(Path folder, Map<String, String> settings) {
        Map<String, String> variables = new HashMap<>();
        // Whoever types here has no keys and no contexts, and leaves none.
        variables.put("HOME", folder.resolve("person").toString());
        variables.put("BOXD_HOME", folder.resolve("home").toString());
        variables.put("BOXD_REGISTRY", "/run/boxd-test/registry");
        variables.put("BOXD_IMAGE_CACHE", System.getProperty("boxd.image.cache", "/var/cache/boxd"));
        variables.put("BOXD_HTTP_PORT", "0");
        variables.put("BOXD_HTTPS_PORT", "0");
        variables.put("BOXD_SSH_PORT", "0");
        variables.put("BOXD_DNS_PORT", "0");
        variables.put("BOXD_QUOTA_BOXES", "200");
        variables.putAll(settings);
        return variables;
    }

    /** One with the usual image, and boxes of the usual size. */
    static Instance usual() throws IOException {
        return usual(Map.of());
    }

    /** The same, with these settings besides. */
    static Instance usual(Map<String, String> more) throws IOException {
        return new Instance(more);
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

    Path home() {
        return folder().resolve("home");
    }

    /** From now on the program of another tree is used, which must be built. */
    void use(Path tree) throws IOException {
        Files.deleteIfExists(folder().resolve("boxd"));
        Files.createSymbolicLink(folder().resolve("boxd"), tree.resolve("boxd"));
    }

    /** Ends the server as a crash would. */
    void killServer() {
        must("kill -9 " + json("./boxd status --json").path("pid").asLong());
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
            FileOwner.deleteTree(folder());
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
                if (line.contains(folder().toString())
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
