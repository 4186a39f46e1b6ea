package io.boxd.vmm;

import io.boxd.common.BoxdException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whole memories of snapshots that differ much from their base, so that a machine started from one maps
 * it and copies nothing.
 *
 * <p>Made in the background while nobody waits for a machine. Any of them can be thrown away at any time:
 * the snapshot itself has everything.
 */
final class FullMemories implements AutoCloseable {
    /** Below this, copying the difference takes no longer than starting a process. */
    private static final long WORTHWHILE_BYTES = 128L << 20;

    static final String PREFIX = "full-";

    private final Bases bases;
    private final Checks checks;
    private final Function<SnapshotRow, SavedInstant> open;
    private final Quiet quiet;
    private final Deque<SnapshotRow> wanted = new ArrayDeque<>();
    private final Map<String, Base> made = new ConcurrentHashMap<>();
    private @Nullable Thread maker;
    private boolean closed;

    FullMemories(Bases bases, Checks checks, Function<SnapshotRow, SavedInstant> open, Quiet quiet) {
        this.bases = bases;
        this.checks = checks;
        this.open = open;
        this.quiet = quiet;
    }

    /** Takes over one that an earlier server made. */
    void adopt(SnapshotRow row) {
        Base base = bases.findIfThere(PREFIX + row.id());
        if (base != null) {
            made.put(row.id(), base);
        }
    }

    /** Has the whole memory of a snapshot made, if that pays. */
    synchronized void consider(SnapshotRow row, long differingBytes) {
        if (differingBytes < WORTHWHILE_BYTES || closed) {
            return;
        }
        wanted.add(row);
        if (maker == null) {
            maker = Thread.ofVirtual().name("full-memories").start(this::make);
        }
    }

    /** The base with the whole memory of a snapshot, if there is one that nobody has touched. */
    @Nullable
    Base of(SnapshotRow row) {
        Base base = made.get(row.id());
        if (base != null && !checks.isUntouched(base.memory(), mark(base))) {
            forget(row);
            return null;
        }
        return base;
    }

    /** Not hashed: the file is only believed while it is exactly the one that was written here. */
    private static Part mark(Base base) {
        return new Part(BaseFolder.MEMORY, base.size().memoryBytes(), "not hashed", true);
    }

    /** Whether nothing more will be done for this snapshot. */
    synchronized boolean isSettled(String snapshot) {
        return wanted.stream().noneMatch(row -> row.id().equals(snapshot));
    }

    void forget(SnapshotRow row) {
        synchronized (this) {
            wanted.removeIf(waiting -> waiting.id().equals(row.id()));
        }
        Base base = made.remove(row.id());
        if (base != null) {
            bases.forget(base);
        }
    }

    /** Gives up all of them, for space. */
    void evict() {
        made.keySet().forEach(id -> {
            Base base = made.remove(id);
            if (base != null) {
                bases.forget(base);
            }
        });
    }

    private void make() {
        try {
            for (SnapshotRow row = next(); row != null; row = next()) {
                quiet.await();
                try (SavedInstant instant = open.apply(row)) {
                    Base base = bases.promote(PREFIX + row.id(), instant);
                    checks.written(base.memory(), mark(base));
                    made.put(row.id(), base);
                    dropIfGone(row);
                } catch (BoxdException | IOException e) {
                    // Nobody waits for it: without it, starting from the snapshot copies more.
                    forget(row);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized @Nullable SnapshotRow next() {
        SnapshotRow row = closed ? null : wanted.peek();
        if (row == null) {
            maker = null;
        }
        return row;
    }

    /** It stays in the queue while it is made, so that a snapshot forgotten meanwhile is noticed. */
    private void dropIfGone(SnapshotRow row) {
        boolean stillWanted;
        synchronized (this) {
            stillWanted = wanted.removeIf(waiting -> waiting.id().equals(row.id()));
        }
        if (!stillWanted) {
            forget(row);
        }
    }

    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = maker;
        }
        if (running != null) {
            running.interrupt();
            try {
                running.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
