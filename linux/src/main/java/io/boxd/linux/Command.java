package io.boxd.linux;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The one way to run another program: argv only (never a shell), a deadline, bounded output.
 *
 * <p>A program that outlives its deadline is killed together with what it started. Immutable; {@code
 * with…} methods return changed copies.
 */
public final class Command {
    /**
     * One program is started after the other. Java starts each through a helper, which waits for its word on a pipe. Of
     * helpers that are started at once each has the pipes of the others open: if this process is killed just then, they
     * wait for each other for ever, with all that was open here.
     */
    private static final ReentrantLock STARTING = new ReentrantLock();

    private static final int MAX_OUTPUT_BYTES = 4 << 20;
    private static final int MAX_LINE_CHARS = 4096;
    private static final int ERROR_TAIL_CHARS = 2000;

    private final List<String> argv;
    private final Map<String, String> environment;
    private final @Nullable Path directory;
    private final byte[] input;
    private final @Nullable Consumer<String> lines;

    private Command(
            List<String> argv,
            Map<String, String> environment,
            @Nullable Path directory,
            byte[] input,
            @Nullable Consumer<String> lines) {
        this.argv = List.copyOf(argv);
        this.environment = Map.copyOf(environment);
        this.directory = directory;
        this.input = input.clone();
        this.lines = lines;
    }

    public static Command of(String... argv) {
        return of(List.of(argv));
    }

    public static Command of(List<String> argv) {
        return new Command(argv, Map.of(), null, new byte[0], null);
    }

    public Command withEnvironment(String name, String value) {
        Map<String, String> more = new TreeMap<>(environment);
        more.put(name, value);
        return new Command(argv, more, directory, input, lines);
    }

    public Command withDirectory(Path newDirectory) {
        return new Command(argv, environment, newDirectory, input, lines);
    }

    public Command withInput(String text) {
        return new Command(argv, environment, directory, text.getBytes(StandardCharsets.UTF_8), lines);
    }

    /** Hands each line of standard output and error to the listener as it comes (for progress). */
    public Command withLines(Consumer<String> listener) {
        return new Command(argv, environment, directory, input, listener);
    }

    /** What a program left behind when it ended. */
    public record Result(int status, String output, String errors) {
        public boolean succeeded() {
            return status == 0;
        }
    }

    /** Runs to the end; any exit status is a result, only a missed deadline or a failed start throws. */
    public Result run(Deadline deadline) {
        Process process = start();
        Thread feeder = Thread.ofVirtual().start(() -> feed(process));
        Collector output = Collector.start(process.getInputStream(), lines);
        Collector errors = Collector.start(process.getErrorStream(), lines);
        try {
            if (!process.waitFor(deadline.leftNanos(), TimeUnit.NANOSECONDS)) {
                throw deadline.exceeded(name());
            }
            // Bounded, because a background child may hold the input's pipe open without reading it.
            feeder.join(deadline.left());
            return new Result(process.exitValue(), output.text(deadline), errors.text(deadline));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, name() + " was interrupted", e);
        } finally {
            killTree(process);
        }
    }

    /** Runs to the end and throws, quoting the program's own words, unless it exits with 0. */
    public Result check(Deadline deadline) {
        Result result = run(deadline);
        if (!result.succeeded()) {
            String words = result.errors().isBlank() ? result.output() : result.errors();
            throw Durable.failure(name() + " failed with status " + result.status(), tail(words.strip()), null);
        }
        return result;
    }

    private String name() {
        return Path.of(argv.getFirst()).getFileName().toString();
    }

    private Process start() {
        ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(argv));
        builder.environment().putAll(environment);
        if (directory != null) {
            builder.directory(directory.toFile());
        }
        try {
            STARTING.lock();
            try {
                return builder.start();
            } finally {
                STARTING.unlock();
            }
        } catch (IOException e) {
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE,
                    "cannot start " + argv.getFirst(),
                    "Is it installed? ./dev build installs what is missing.",
                    e);
        }
    }

    private void feed(Process process) {
        try (var stdin = process.getOutputStream()) {
            stdin.write(input);
        } catch (IOException e) {
            // The program ended without reading all of its input; its status tells the story.
            return;
        }
    }

    private static void killTree(Process process) {
        if (process.isAlive()) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static String tail(String text) {
        return text.length() <= ERROR_TAIL_CHARS ? text : "…" + text.substring(text.length() - ERROR_TAIL_CHARS);
    }

    /** Drains one stream on its own virtual thread, keeping a bounded tail. */
    private static final class Collector {
        private final StringBuilder kept = new StringBuilder();
        private final Thread thread;

        private Collector(InputStream stream, @Nullable Consumer<String> lines) {
            this.thread = Thread.ofVirtual().unstarted(() -> drain(stream, lines));
        }

        static Collector start(InputStream stream, @Nullable Consumer<String> lines) {
            Collector collector = new Collector(stream, lines);
            collector.thread.start();
            return collector;
        }

        private void drain(InputStream stream, @Nullable Consumer<String> lines) {
            try (var reader = new java.io.InputStreamReader(stream, StandardCharsets.UTF_8)) {
                StringBuilder line = new StringBuilder();
                char[] chunk = new char[8192];
                for (int n = reader.read(chunk); n >= 0; n = reader.read(chunk)) {
                    keep(chunk, n);
                    if (lines != null) {
                        forward(chunk, n, line, lines);
                    }
                }
                if (lines != null && !line.isEmpty()) {
                    lines.accept(line.toString());
                }
            } catch (IOException e) {
                // The program was ended, and its streams with it; what it said before that is kept.
                return;
            }
        }

        private static void forward(char[] chunk, int length, StringBuilder line, Consumer<String> lines) {
            for (int i = 0; i < length; i++) {
                boolean ends = chunk[i] == '\n' || chunk[i] == '\r';
                if (!line.isEmpty() && (ends || line.length() >= MAX_LINE_CHARS)) {
                    lines.accept(line.toString());
                    line.setLength(0);
                }
                if (!ends) {
                    line.append(chunk[i]);
                }
            }
        }

        private synchronized void keep(char[] chunk, int length) {
            kept.append(chunk, 0, length);
            if (kept.length() > MAX_OUTPUT_BYTES) {
                kept.delete(0, kept.length() - MAX_OUTPUT_BYTES);
            }
        }

        /** What came out; background children that keep the pipe open cannot hold us past the deadline. */
        String text(Deadline deadline) throws InterruptedException {
            thread.join(deadline.orSooner(java.time.Duration.ofSeconds(2)).left());
            synchronized (this) {
                return kept.toString();
            }
        }
    }
}
