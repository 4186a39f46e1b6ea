package io.boxd.vmm;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the hostile program says about its attempts, in the log of its cell. */
record HostileReport(int attempts, List<String> denied, List<String> succeeded) {
    private static final Pattern END = Pattern.compile("(?m)^done (\\d+) attempts (\\d+) succeeded$");

    /** Waits until all attempts are made. */
    static HostileReport await(Cell cell, Deadline deadline) throws IOException {
        while (true) {
            boolean ended = !cell.process().alive();
            String log = Files.readString(cell.folder().log());
            Matcher end = END.matcher(log);
            if (end.find()) {
                return parse(log, Integer.parseInt(end.group(1)));
            }
            if (ended || deadline.passed()) {
                throw new AssertionError("the hostile program did not come to its end; it said:\n" + log);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }

    private static HostileReport parse(String log, int attempts) {
        List<String> lines = log.lines().toList();
        return new HostileReport(
                attempts,
                lines.stream().filter(line -> line.contains(" denied ")).toList(),
                lines.stream().filter(line -> line.contains(" SUCCEEDED ")).toList());
    }
}
