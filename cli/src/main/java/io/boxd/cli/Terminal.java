package io.boxd.cli;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The terminal of this process, through {@code stty}: it is everywhere, and native calls would cost more time. */
final class Terminal {
    private static final int STTY_SECONDS = 5;
    private static final File DEVICE = new File("/dev/tty");

    private @Nullable String settings;

    /** Whether this descriptor (0, 1, 2) is a terminal. */
    static boolean isAt(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }

    static WindowSize size() {
        String[] words = stty("size").strip().split(" ", -1);
        if (words.length == 2 && words[0].matches("[0-9]{1,4}") && words[1].matches("[0-9]{1,4}")) {
            int rows = Integer.parseInt(words[0]);
            int columns = Integer.parseInt(words[1]);
            return rows > 0 && columns > 0 ? new WindowSize(rows, columns) : WindowSize.USUAL;
        }
        return WindowSize.USUAL;
    }

    /** Every key goes to the box as it is, until {@link #restore}. */
    synchronized void makeRaw() {
        if (settings == null) {
            settings = stty("-g").strip();
            stty("raw", "-echo");
        }
    }

    /** A line that is typed without being shown. */
    String readUnseen(InputStream input, int mostBytes) throws IOException {
        Thread restoring = Thread.ofPlatform().unstarted(this::restore);
        Runtime.getRuntime().addShutdownHook(restoring);
        synchronized (this) {
            settings = stty("-g").strip();
            stty("-echo");
        }
        try {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int next = input.read(); next >= 0 && next != '\n'; next = input.read()) {
                if (line.size() >= mostBytes) {
                    throw new IOException("the line is too long");
                }
                line.write(next);
            }
            return line.toString(StandardCharsets.UTF_8);
        } finally {
            restore();
        }
    }

    synchronized void restore() {
        if (settings != null && !settings.isEmpty()) {
            stty(settings);
        }
        settings = null;
    }

    private static String stty(String... words) {
        List<String> line = new ArrayList<>(List.of("stty"));
        line.addAll(List.of(words));
        try {
            Process process = new ProcessBuilder(line)
                    .redirectInput(DEVICE)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String output = new String(process.getInputStream().readNBytes(4096), StandardCharsets.US_ASCII);
            if (!process.waitFor(STTY_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            return output;
        } catch (IOException e) {
            return ""; // no terminal, or no stty: then there is nothing to set, and the usual size
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
