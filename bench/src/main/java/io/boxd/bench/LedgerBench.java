package io.boxd.bench;

import io.boxd.common.Deadline;
import io.boxd.ledger.Book;
import io.boxd.ledger.Decision;
import io.boxd.ledger.Ledger;
import io.boxd.ledger.LedgerConfig;
import io.boxd.ledger.Tables;
import io.boxd.linux.FileOwner;
import io.boxd.trust.Authority;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** What a decision costs, beside a loop that only appends as many bytes to a file and syncs it, on the same disk. */
public final class LedgerBench {
    private static final String COMMITS = "--commits";
    private static final String FOLDER = "--folder";
    private static final String OUTPUT = "--output";
    private static final int CLIENTS = 8;
    private static final int COMMAND_BYTES = 700;
    private static final Duration LONGEST = Duration.ofMinutes(5);
    private static final String BOOK = "measured";

    private LedgerBench() {}

    /** Arguments: {@code [--commits N] [--folder FOLDER] [--output FILE]}. */
    public static void main(String[] arguments) throws IOException {
        Options options = Options.parse(
                arguments, Map.of(COMMITS, "1000", FOLDER, "/var/tmp", OUTPUT, "bench/results/ledger.json"));
        int commits = options.number(COMMITS);
        Path home = Files.createTempDirectory(options.path(FOLDER), "boxd-bench-");
        Report report = new Report();
        try {
            report.fact("processors", Runtime.getRuntime().availableProcessors());
            report.fact("commits", commits);
            report.fact("command_bytes", COMMAND_BYTES);
            Ledger ledger = open(home, report, "open_first_ms", "the first ledger of a process, with nothing in it");
            measure(ledger, report, home, commits);
            ledger.close();
            open(home, report, "open_again_ms", "the same with what was written before, checked")
                    .close();
        } finally {
            FileOwner.deleteTree(home);
        }
        report.print(System.out);
        Path output = options.path(OUTPUT);
        report.write(output);
        System.err.println("written to " + output);
        // Threads of the log's listener would keep the process for two seconds.
        System.exit(0);
    }

    private static Ledger open(Path home, Report report, String name, String meaning) {
        long began = System.nanoTime();
        Authority authority = Authority.open(home.resolve("trust"), "measured", List.of());
        LedgerConfig config = LedgerConfig.local(home.resolve("state"), authority);
        Ledger ledger = Ledger.open(config, List.of(new OneTable()), Deadline.in(LONGEST));
        report.figure(name, (System.nanoTime() - began) / 1e6, 1, "", meaning);
        return ledger;
    }

    private static void measure(Ledger ledger, Report report, Path home, int commits) throws IOException {
        commit(ledger, commits / 4, 1);
        append(home, commits / 4);
        figures(report, "fsync", append(home, commits), "append to a file and sync it, one after the other");
        figures(report, "commit", commit(ledger, commits, 1), "decide, one after the other");
        figures(report, "commit_8", commit(ledger, commits, CLIENTS), "decide, eight at a time");
    }

    /** What one run took for each, and altogether. */
    private record Run(Samples each, double seconds) {}

    private static void figures(Report report, String name, Run run, String meaning) {
        int count = run.each().count();
        report.figure(name + "_per_s", count / run.seconds(), count, "", meaning);
        report.figure(name + "_p50_ms", run.each().median(), count, "", meaning);
        report.figure(name + "_p99_ms", run.each().percentile(99), count, "", meaning);
    }

    private static Run append(Path home, int times) throws IOException {
        Samples each = new Samples();
        long began = System.nanoTime();
        try (FileChannel file = FileChannel.open(
                home.resolve("plain"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.APPEND)) {
            ByteBuffer bytes = ByteBuffer.allocate(COMMAND_BYTES);
            for (int i = 0; i < times; i++) {
                long start = System.nanoTime();
                file.write(bytes.clear());
                file.force(false);
                each.add(Duration.ofNanos(System.nanoTime() - start));
            }
        }
        return new Run(each, (System.nanoTime() - began) / 1e9);
    }

    private static Run commit(Ledger ledger, int times, int clients) {
        long began = System.nanoTime();
        List<CompletableFuture<List<Duration>>> all = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
            String name = "client-" + client;
            all.add(CompletableFuture.supplyAsync(
                    () -> commitAsOne(ledger, name, times / clients), Thread::startVirtualThread));
        }
        Samples each = new Samples();
        all.forEach(client -> client.join().forEach(each::add));
        return new Run(each, (System.nanoTime() - began) / 1e9);
    }

    private static List<Duration> commitAsOne(Ledger ledger, String name, int times) {
        String command = name + " ".repeat(COMMAND_BYTES - name.length());
        List<Duration> took = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            long start = System.nanoTime();
            ledger.commit(BOOK, command, Deadline.in(LONGEST));
            took.add(Duration.ofNanos(System.nanoTime() - start));
        }
        return took;
    }

    /** Each command replaces a row, as most about boxes do. */
    private static final class OneTable implements Book {
        @Override
        public String name() {
            return BOOK;
        }

        @Override
        public List<Migration> migrations() {
            return List.of(tables -> tables.create("rows"));
        }

        @Override
        public void load(Tables tables) {
            // Nothing is kept in memory.
        }

        @Override
        public boolean isTaken(String name) {
            return false;
        }

        @Override
        public Decision decide(int version, String command, Tables tables, Predicate<String> takenElsewhere) {
            tables.put("rows", command.strip(), command);
            return Decision.done(() -> {});
        }
    }
}
