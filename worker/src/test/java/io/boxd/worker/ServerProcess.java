package io.boxd.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A server in a process of its own, to be killed. */
final class ServerProcess {
    private final Class<?> program;
    private final Path home;
    private final long seed;
    private final Map<String, String> environment;

    ServerProcess(Path home, long seed, Map<String, String> environment) {
        this(CrashingServer.class, home, seed, environment);
    }

    ServerProcess(Class<?> program, Path home, long seed, Map<String, String> environment) {
        this.program = program;
        this.home = home;
        this.seed = seed;
        this.environment = environment;
    }

    /** Lets it work for a while and ends it, after the last thing was done; hands over each line it said. */
    void runFor(long millis, Runnable last, Consumer<String> lines) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        program.getName(),
                        home.toString(),
                        WorkerHouse.cache().toString(),
                        Long.toString(seed))
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment);
        Process server = builder.start();
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))) {
            if (!"ready".equals(output.readLine())) {
                throw new IllegalStateException("the server did not come up");
            }
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
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.accept(line);
            }
            killer.join();
        } finally {
            server.destroyForcibly();
            server.waitFor();
        }
    }
}
