package io.boxd.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that decides for months needs no more memory than one that has just begun. */
@Tag("unit")
final class MemoryTest {
    /** What Ratis does by itself. */
    private static final LogMemory EVERYTHING = new LogMemory(32L << 20, 6, Duration.ofSeconds(60));

    private static final int CLIENTS = 64;
    private static final int NAMES = 100;
    private static final int BEFORE = 10_000;
    private static final int DECISIONS = Boolean.getBoolean("boxd.test.long") ? 200_000 : 30_000;

    /** Files of the log are begun and forgotten, so it is not the same at every moment. */
    private static final long MOST_BYTES = 4L << 20;

    @TempDir
    private Path home;

    @Test
    void theHeapIsAsLargeAfterManyDecisions() {
        assertThat(growth(LogMemory.least(), DECISIONS)).isLessThan(MOST_BYTES);
    }

    @Test
    void redControlALogThatStaysInMemoryIsNoticed() {
        assertThat(growth(EVERYTHING, DECISIONS)).isGreaterThan(MOST_BYTES);
    }

    private long growth(LogMemory memory, int decisions) {
        LedgerConfig config = TestingLedger.config(home).withMemory(memory);
        try (Ledger ledger = TestingLedger.open(config, new CountingBook())) {
            decide(ledger, BEFORE);
            long before = liveBytes(ledger);
            decide(ledger, decisions);
            return liveBytes(ledger) - before;
        }
    }

    /** The same names again and again: the state does not grow. */
    private static void decide(Ledger ledger, int decisions) {
        AtomicInteger left = new AtomicInteger(decisions);
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Runnable client = () -> {
                for (int next = left.decrementAndGet(); next >= 0; next = left.decrementAndGet()) {
                    TestingLedger.add(ledger, "n" + next % NAMES);
                }
            };
            clients.add(CompletableFuture.runAsync(client, Thread::startVirtualThread));
        }
        clients.forEach(CompletableFuture::join);
    }

    /** What has become garbage only now leaves caches with weak references when they are used next. */
    private static long liveBytes(Ledger ledger) {
        System.gc();
        decide(ledger, BEFORE);
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
