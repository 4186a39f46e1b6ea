package io.boxd.guest;

import io.boxd.common.Deadline;
import java.util.Optional;

/** Changes of files as they happen, from the moment this exists until it is closed. For one thread. */
public final class FileWatch implements AutoCloseable {
    private final Records<FileChange> records;

    FileWatch(Tunnel tunnel) {
        this.records = new Records<>(tunnel, FileChange::parse);
    }

    /** The next change; nothing if none has come by the deadline, or what was watched is gone. */
    public Optional<FileChange> next(Deadline deadline) {
        return records.poll(deadline);
    }

    @Override
    public void close() {
        records.close();
    }
}
