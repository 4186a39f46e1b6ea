package io.boxd.ledger;

import io.boxd.common.Deadline;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A server with eight clients who take one name after the other until it is killed; each says what it begins and what
 * was acknowledged.
 */
final class CrashingLedger {
    static final int CLIENTS = 8;
    private static final int SNAPSHOT_ENTRIES = 60;

    /** Each line leaves at once: what was said holds, however suddenly the end comes. */
    private static final PrintStream JOURNAL =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);

    private CrashingLedger() {}

    /** Arguments: home, a word that no other run has, and whether to acknowledge before the commit. */
    public static void main(String[] arguments) throws InterruptedException {
        LedgerConfig config = TestingLedger.config(Path.of(arguments[0])).withSnapshotEntries(SNAPSHOT_ENTRIES);
        boolean hasty = arguments[2].equals("hasty");
        Ledger ledger = TestingLedger.open(config, new CountingBook());
        say("ready");
        List<Thread> clients = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            String name = arguments[1] + "-" + client + "-";
            clients.add(Thread.startVirtualThread(() -> work(ledger, name, hasty)));
        }
        for (Thread client : clients) {
            client.join();
        }
    }

    private static void work(Ledger ledger, String prefix, boolean hasty) {
        for (int i = 0; ; i++) {
            String name = prefix + i;
            say("begin " + name);
            if (hasty) {
                // The red control: it counts as applied before the log has it.
                say("ack " + name);
            }
            ledger.commit(TestingLedger.BOOK, CountingBook.add(name), Deadline.inSeconds(60));
            if (!hasty) {
                say("ack " + name);
            }
        }
    }

    private static synchronized void say(String line) {
        JOURNAL.println(line);
    }
}
