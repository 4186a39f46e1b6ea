package io.boxd.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/** A terminal of 80 columns and 24 rows in which a program runs; what it shows can be read. */
final class TestingScreen implements AutoCloseable {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Path socket;

    TestingScreen(Path socket, List<String> program) {
        this.socket = socket;
        List<String> words = new ArrayList<>(List.of(
                "-f",
                "/dev/null",
                "start-server",
                ";",
                "set-option",
                "-g",
                "remain-on-exit",
                "on",
                ";",
                "new-session",
                "-d",
                "-x",
                "80",
                "-y",
                "24"));
        words.addAll(program);
        tmux(words.toArray(String[]::new));
    }

    private Command.Result tmux(String... words) {
        List<String> line = new ArrayList<>(List.of("tmux", "-S", socket.toString()));
        line.addAll(List.of(words));
        return Command.of(line)
                .withEnvironment("TERM", "xterm-256color")
                .withEnvironment("LC_ALL", "C.UTF-8")
                .run(Deadline.inSeconds(20));
    }

    /** Keys by their names, as tmux has them: {@code Tab}, {@code C-c}, {@code Up}; or text. */
    TestingScreen press(String... keys) {
        for (String key : keys) {
            tmux("send-keys", key);
        }
        return this;
    }

    void resize(int columns, int rows) {
        tmux("resize-window", "-x", String.valueOf(columns), "-y", String.valueOf(rows));
    }

    String shown() {
        return tmux("capture-pane", "-p").output().stripTrailing();
    }

    /** As {@link #shown}, with the sequences that make colours. */
    String coloured() {
        return tmux("capture-pane", "-p", "-e").output();
    }

    /** Waits until it shows this. */
    String await(String text) {
        return awaitMatch("(?s).*" + Pattern.quote(text) + ".*");
    }

    /** Presses it again and again, as people do, until the whole screen is like this. */
    void pressUntil(String key, String pattern) {
        Deadline deadline = Deadline.inSeconds(30);
        while (!shown().matches(pattern) && !deadline.passed()) {
            press(key);
            LockSupport.parkNanos(10 * LOOK_NANOS);
        }
        awaitMatch(pattern);
    }

    /** Waits until the whole screen is like this. */
    String awaitMatch(String pattern) {
        Deadline deadline = Deadline.inSeconds(30);
        String shown = shown();
        while (!shown.matches(pattern) && !deadline.passed()) {
            LockSupport.parkNanos(LOOK_NANOS);
            shown = shown();
        }
        assertThat(shown).matches(pattern);
        return shown;
    }

    @Override
    public void close() {
        tmux("kill-server");
    }
}
