package io.boxd.bench;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.linux.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Reads from outside what a running server holds: live objects, threads, open files, memory. */
final class ServerGauge {
    private static final Pattern TOTAL = Pattern.compile("^Total +\\d+ +(\\d+)", Pattern.MULTILINE);

    private final long pid;
    private final Path folder;

    /** @param folder for files that the server is asked to write */
    ServerGauge(long pid, Path folder) {
        this.pid = pid;
        this.folder = folder;
    }

    /**
     * One look at it.
     *
     * @param heapBytes what is alive, after a collection
     * @param threads those of the kernel
     * @param virtualThreads those of Java only
     * @param residentBytes of the whole process
     */
    record Reading(long heapBytes, int threads, int virtualThreads, int files, long residentBytes) {}

    Reading read() throws IOException {
        long heap = liveBytes(jcmd("GC.class_histogram"));
        Path process = Path.of("/proc", Long.toString(pid));
        String status = Files.readString(process.resolve("status"));
        return new Reading(
                heap,
                (int) statusField(status, "Threads"),
                virtualThreads(),
                openFiles(process),
                statusField(status, "VmRSS") * 1024);
    }

    private String jcmd(String... words) {
        String[] line = Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                        .toString(),
                                Long.toString(pid)),
                        Stream.of(words))
                .toArray(String[]::new);
        return Command.of(line).check(Deadline.inSeconds(60)).output();
    }

    private int virtualThreads() throws IOException {
        Path dump = folder.resolve("threads.json");
        jcmd("Thread.dump_to_file", "-overwrite", "-format=json", dump.toString());
        return countVirtual(Json.parse(Files.readString(dump)));
    }

    private static int openFiles(Path process) throws IOException {
        try (Stream<Path> files = Files.list(process.resolve("fd"))) {
            return (int) files.count();
        }
    }

    /** The sum at the end of a histogram, which counts live objects only. */
    static long liveBytes(String histogram) {
        Matcher total = TOTAL.matcher(histogram);
        if (!total.find()) {
            throw new IllegalArgumentException("a histogram without a total");
        }
        return Long.parseLong(total.group(1));
    }

    /** A number of {@code /proc/PID/status}, in the unit that it has there. */
    static long statusField(String status, String name) {
        return status.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.replaceAll("\\D+", ""))
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no " + name + " in a status"));
    }

    /** Of a dump of all threads. */
    static int countVirtual(JsonNode dump) {
        int count = 0;
        for (JsonNode container : dump.path("threadDump").path("threadContainers")) {
            for (JsonNode thread : container.path("threads")) {
                count += thread.path("virtual").asBoolean(false) ? 1 : 0;
            }
        }
        return count;
    }
}
