package io.boxd.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** A {@link CrashingServer} in a process of its own, to be killed. */
final class ServerProcess {
    private final Path home;
    private final long seed;
    private final Map<String, String> environment;

    ServerProcess(Path home, long seed, Map<String, String> environment) {
        this.home = home;
        this.seed = seed;
        this.environment = environment;
    }

    /** Lets it work for a while and ends it, after the last thing was done; hands over each line it said. */
    void runFor(long millis, Runnable last, Consumer<String> lines) throws IOException, InterruptedException {
        Process server = start();
        try (BufferedReader output = readyOutput(server)) {
            Thread killer = Thread.startVirtualThread(() -> {
                try {
                    // The one use of time that is meant: a moment that nobody has chosen.
                    TimeUnit.MILLISECONDS.sleep(millis);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                last.run();
                server.destroyForcibly();
            });
            output.lines().forEach(lines);
            killer.join();
        } finally {
            server.destroyForcibly();
            server.waitFor();
        }
    }

    /** The same until it has said a certain thing, which is the last that is handed over. */
    void runUntil(Predicate<String> said, Runnable last, Consumer<String> lines)
            throws IOException, InterruptedException {
        Process server = start();
        try (BufferedReader output = readyOutput(server)) {
            String line;
            do {
                line = output.readLine();
                if (line == null) {
                    throw new IllegalStateException("the server ended before it said what was waited for");
                }
                lines.accept(line);
            } while (!said.test(line));
            last.run();
        } finally {
            server.destroyForcibly();
            server.waitFor();
        }
    }

    private static BufferedReader readyOutput(Process server) throws IOException {
        BufferedReader output =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
        if (!"ready".equals(output.readLine())) {
            server.destroyForcibly();
            throw new IllegalStateException("the server did not come up");
        }
        return output;
    }

    private Process start() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx256m",
                        // It lives for seconds: what starts soonest is best.
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        CrashingServer.class.getName(),
                        home.toString(),
                        WorkerHouse.cache().toString(),
                        Long.toString(seed))
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment);
        return builder.start();
    }
}
