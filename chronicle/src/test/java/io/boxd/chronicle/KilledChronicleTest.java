package io.boxd.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that writes a chronicle is killed again and again; what anybody has seen of it stays as it was. */
@Tag("unit")
final class KilledChronicleTest {
    private static final int ROUNDS = Boolean.getBoolean("boxd.test.long") ? 60 : 5;

    @TempDir
    private Path home;

    /** What the process had seen of events before it was killed, by their numbers. */
    private final Map<Long, String> seen = new TreeMap<>();

    private void run(String url, int lines) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        ChronicleWriter.class.getName(),
                        home.toString(),
                        url)
                .redirectError(home.resolve("errors").toFile())
                .start();
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (int i = 0; i < lines; i++) {
                String line = output.readLine();
                assertThat(line).as("it ended by itself").isNotNull();
                note(line);
            }
            process.toHandle().destroyForcibly();
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                // A last line may be cut off.
                if (line.matches("[0-9]+ [0-9a-f-]{36}")) {
                    note(line);
                }
            }
        } finally {
            process.destroyForcibly();
            process.onExit().join();
        }
    }

    private void note(String line) {
        String[] words = line.split(" ", 2);
        String before = seen.put(Long.valueOf(words[0]), words[1]);
        assertThat(before).as("a number was used twice: %s", line).isNull();
    }

    @Test
    void whatWasSeenStaysAndTheChainIsWhole() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (TestingReceiver receiver = new TestingReceiver()) {
            for (int round = 0; round < ROUNDS; round++) {
                run(receiver.url(), 1 + random.nextInt(60));
            }
            try (Chronicle chronicle = ChronicleWriter.open(home)) {
                Verification verification = chronicle.audit().verify(AuditSample.soon());
                assertThat(verification.findings()).as("seed %s", seed).isEmpty();
                assertThat(verification.entries()).isGreaterThan(ROUNDS);
                Feed feed = chronicle.feed();
                Map<Long, String> kept = new TreeMap<>();
                feed.newest(EventQuestion.all(), Feed.KEPT).forEach(event -> kept.put(event.sequence(), event.cause()));
                assertThat(kept).as("seed %s", seed).containsAllEntriesOf(seen);
                assertThat(kept).hasSize((int) feed.last());
                awaitAll(receiver, feed.last());
                List<TestingReceiver.Received> received = receiver.received();
                assertThat(received).allMatch(one -> one.isSignedWith(ChronicleWriter.SECRET));
                Set<String> once = new LinkedHashSet<>();
                received.forEach(one -> once.add(one.body()));
                assertThat(once)
                        .as("each at least once, in order, seed %s", seed)
                        .containsExactlyElementsOf(kept.entrySet().stream()
                                .map(entry -> entry.getKey() + " " + entry.getValue())
                                .toList());
                assertThat(received.size() - once.size())
                        .as("only what was on its way when a process was killed came twice")
                        .isLessThanOrEqualTo(ROUNDS);
            }
        }
    }

    private static void awaitAll(TestingReceiver receiver, long last) throws InterruptedException {
        for (int count = 1;
                receiver.await(count).stream().noneMatch(one -> one.body().startsWith(last + " ")); ) {
            count = Math.max(count, receiver.received().size()) + 1;
        }
    }
}
