package io.boxd.worker;

import io.boxd.linux.FileOwner;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** A server in a process of its own, to be killed. */
final class ServerProcess implements AutoCloseable {
    private static final String ERRORS = "errors";

    /** What a killed process leaves in its temporary folder goes with it. */
    private final Path temporary = Files.createTempDirectory("boxd-test-");

    private final Process process;
    private final BufferedReader output;

    ServerProcess(Path home, long seed, Map<String, String> environment) throws IOException {
        this(CrashingServer.class, home, seed, environment);
    }

    /** Returns when it is about to begin its work. */
    ServerProcess(Class<?> program, Path home, long seed, Map<String, String> environment) throws IOException {
        process = start(
                program,
                temporary,
                environment,
                home.toString(),
                WorkerHouse.cache().toString(),
                Long.toString(seed));
        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        if (!"ready".equals(output.readLine())) {
            throw endedByItself();
        }
    }

    /** Starts a server's main class in a process of its own; what it says is read from its output. */
    static Process start(Class<?> main, Path temporary, Map<String, String> environment, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + temporary,
                "-Xmx256m",
                // It lives for seconds: what starts soonest is best.
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                main.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectError(temporary.resolve(ERRORS).toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }

    private Path errors() {
        return temporary.resolve(ERRORS);
    }

    /** Lets it work for a while and ends it, after the last thing was done; hands over each line it said. */
    void runFor(long millis, Runnable last, Consumer<String> lines) throws IOException, InterruptedException {
        AtomicBoolean ending = new AtomicBoolean();
        Thread killer = Thread.startVirtualThread(() -> {
            try {
                // The one use of time that is meant: a moment that nobody has chosen.
                TimeUnit.MILLISECONDS.sleep(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            ending.set(true);
            last.run();
            kill();
        });
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            lines.accept(line);
        }
        boolean killed = ending.get();
        killer.join();
        if (!killed) {
            throw endedByItself();
        }
    }

    /** The same until it has said a certain thing, which is the last that is handed over. */
    void runUntil(Predicate<String> said, Runnable last, Consumer<String> lines) throws IOException {
        String line;
        do {
            line = output.readLine();
            if (line == null) {
                throw endedByItself();
            }
            lines.accept(line);
        } while (!said.test(line));
        last.run();
    }

    private IllegalStateException endedByItself() throws IOException {
        IllegalStateException failure =
                new IllegalStateException("the server ended by itself: " + Files.readString(errors()));
        close();
        return failure;
    }

    /** By its handle: the process itself would close its output, and with it what it has said and nobody has read. */
    private void kill() {
        process.toHandle().destroyForcibly();
    }

    @Override
    public void close() {
        kill();
        process.onExit().join();
        FileOwner.deleteTree(temporary);
    }
}
