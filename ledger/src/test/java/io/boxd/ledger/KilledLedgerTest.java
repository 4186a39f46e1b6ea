package io.boxd.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.linux.FileOwner;
import io.boxd.linux.SmallDisk;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers with eight clients, killed or without power at any moment: what was acknowledged is there, and once. */
@Tag("host")
final class KilledLedgerTest {
    private static final boolean LONG = Boolean.getBoolean("boxd.test.long");
    private static final int KILLS = LONG ? 200 : 6;
    private static final int CUTS = LONG ? 25 : 2;
    private static final int MOST_LINES = 400;
    private static final long DISK_BYTES = 96L << 20;

    @TempDir
    private Path folder;

    private final Random random = new Random(20_261_118);
    private final Set<String> begun = new HashSet<>();
    private final Set<String> acknowledged = new HashSet<>();

    @Test
    void whatWasAcknowledgedIsThereOnce() throws Exception {
        assertThat(violations(folder, KILLS, "careful")).isEmpty();
        assertThat(acknowledged).hasSizeGreaterThan(KILLS * CrashingLedger.CLIENTS);
    }

    @Test
    void redControlAcknowledgedBeforeTheCommitItIsMissed() throws Exception {
        assertThat(violations(folder, KILLS, "hasty")).isNotEmpty();
    }

    private List<String> violations(Path home, int kills, String manner) throws Exception {
        List<String> violations = new ArrayList<>();
        for (int kill = 0; kill < kills && violations.isEmpty(); kill++) {
            run(home, "k" + kill, manner, Map.of(), false, () -> {});
            violations.addAll(check(home));
        }
        return violations;
    }

    @Test
    void whatWasAcknowledgedIsOnADiskWithoutPower() throws Exception {
        assertThat(powerCuts(CUTS, Map.of())).isEmpty();
    }

    /** The log's own file must be synced before anybody is told. */
    @Test
    void redControlWithoutTheSyncOfTheLogItIsMissed() throws Exception {
        Path forgetful = repository().resolve("target/shared/release/libboxd_forgetful.so");
        assertThat(powerCuts(1, Map.of("LD_PRELOAD", forgetful.toString(), "BOXD_FORGETS", "/log_inprogress_0")))
                .isNotEmpty();
    }

    private List<String> powerCuts(int cuts, Map<String, String> environment) throws Exception {
        List<String> violations = new ArrayList<>();
        try (SmallDisk disk = new SmallDisk(DISK_BYTES)) {
            for (int cut = 0; cut < cuts && violations.isEmpty(); cut++) {
                run(disk.path(), "c" + cut, "careful", environment, true, disk::cutPower);
                disk.unmount();
                disk.mount();
                violations.addAll(check(disk.path()));
            }
        }
        return violations;
    }

    /** Lets a server work until it has said some number of things, and kills it; what it said until then counts. */
    private void run(
            Path home, String word, String manner, Map<String, String> environment, boolean isCut, Runnable last)
            throws Exception {
        Path temporary = Files.createTempDirectory("boxd-test-");
        Path errors = temporary.resolve("errors");
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Djava.io.tmpdir=" + temporary,
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        CrashingLedger.class.getName(),
                        home.toString(),
                        word,
                        manner)
                .redirectError(errors.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            int lines = 1 + random.nextInt(MOST_LINES);
            for (int line = 0; line < lines; line++) {
                note(output.readLine(), errors);
            }
            last.run();
            process.toHandle().destroyForcibly();
            // What it says after its power was cut is said by nobody.
            boolean counts = !isCut;
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                note(counts ? line : line.replace("ack ", "late "), errors);
            }
        } finally {
            process.destroyForcibly().waitFor();
            FileOwner.deleteTree(temporary);
        }
    }

    private void note(@org.jspecify.annotations.Nullable String line, Path errors) throws IOException {
        if (line == null) {
            throw new IllegalStateException("the server ended by itself: " + Files.readString(errors));
        }
        if (line.startsWith("begin ")) {
            begun.add(line.substring("begin ".length()));
        } else if (line.startsWith("ack ")) {
            acknowledged.add(line.substring("ack ".length()));
        }
    }

    private List<String> check(Path home) {
        List<String> violations = new ArrayList<>();
        CountingBook book = new CountingBook();
        try (Ledger ledger = TestingLedger.open(TestingLedger.config(home), book)) {
            for (String name : acknowledged) {
                if (book.counts().getOrDefault(name, 0L) != 1) {
                    violations.add(name + " is there " + book.counts().get(name) + " times, up to " + ledger.index());
                }
            }
            book.counts().forEach((name, count) -> {
                if (count != 1 || !begun.contains(name)) {
                    violations.add(name + " is there " + count + " times");
                }
            });
        } catch (io.boxd.common.BoxdException e) {
            violations.add("it does not open: " + e.getMessage());
        }
        return violations;
    }

    private static Path repository() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.exists(at.resolve("Cargo.toml"))) {
            at = java.util.Objects.requireNonNull(at.getParent(), "run from inside the repository");
        }
        return at;
    }
}
