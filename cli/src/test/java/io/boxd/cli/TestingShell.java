package io.boxd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A shell at a terminal, in which {@code boxd} is this program for completion, and otherwise notes its words. */
final class TestingShell implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 60;

    private final Path folder;
    private final Process process;
    private final ByteArrayOutputStream screen = new ByteArrayOutputStream();

    /** @param line how the shell is started; it finds {@code boxd} in the folder */
    TestingShell(Path folder, Map<String, String> environment, String line) throws IOException {
        this.folder = folder;
        installProgram(folder);
        process = start(folder, environment, List.of("script", "-qec", line, "/dev/null"));
        Thread.ofVirtual().start(() -> {
            try {
                process.getInputStream().transferTo(screen);
            } catch (IOException e) {
                return; // it has ended
            }
        });
    }

    /** Puts {@code boxd} into the folder. */
    static void installProgram(Path folder) throws IOException {
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Path program = Files.writeString(folder.resolve("boxd"), """
                #!/bin/sh
                if [ "$1" = completion ]; then
                    exec '%s' -XX:TieredStopAtLevel=1 -cp '%s' io.boxd.cli.TestingCompletion "$@"
                fi
                for word in "$@"; do echo "$word"; done > '%s/words.new'
                mv '%s/words.new' '%s/words'
                """.formatted(
                        Path.of(System.getProperty("java.home"), "bin", "java"), classes, folder, folder, folder));
        assertThat(program.toFile().setExecutable(true)).isTrue();
    }

    /** Starts a program that finds {@code boxd} in the folder. */
    static Process start(Path folder, Map<String, String> environment, List<String> line) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(line).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        builder.environment().put("HOME", folder.toString());
        builder.environment().put("TERM", "xterm");
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().put("PATH", folder + ":" + System.getenv("PATH"));
        return builder.start();
    }

    /** Types a line, which is echoed in another form, and waits for what it prints. */
    void prepare(String line) throws IOException {
        type(line + "; echo re\"\"ady\n");
        Deadline deadline = Deadline.inSeconds(PATIENCE_SECONDS);
        while (!screen.toString(StandardCharsets.UTF_8).contains("ready")) {
            pause(deadline);
        }
    }

    /** Types keys that end with a line of {@code boxd}; the words with which it was called. */
    List<String> words(String keys) throws IOException {
        Path words = folder.resolve("words");
        Files.deleteIfExists(words);
        type(keys);
        Deadline deadline = Deadline.inSeconds(PATIENCE_SECONDS);
        while (!Files.exists(words)) {
            pause(deadline);
        }
        return Files.readAllLines(words);
    }

    private void type(String keys) throws IOException {
        OutputStream keyboard = process.getOutputStream();
        keyboard.write(keys.getBytes(StandardCharsets.UTF_8));
        keyboard.flush();
    }

    private void pause(Deadline deadline) {
        assertThat(deadline.passed())
                .as("on the screen: %s", screen.toString(StandardCharsets.UTF_8))
                .isFalse();
        LockSupport.parkNanos(20_000_000);
    }

    @Override
    public void close() throws IOException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
