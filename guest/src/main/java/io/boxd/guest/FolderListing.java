package io.boxd.guest;

import io.boxd.common.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is in a folder, entry by entry, so that a folder of any size takes no memory here.
 *
 * <p>For one thread. Close it if it was not read to its end.
 */
public final class FolderListing implements AutoCloseable {
    private final Records<FolderEntry> records;

    FolderListing(Tunnel tunnel) {
        this.records = new Records<>(tunnel, FolderEntry::parse);
    }

    /** The next entry in no particular order, or nothing behind the last one. */
    public Optional<FolderEntry> next(Deadline deadline) {
        return records.next(deadline);
    }

    /** The next entries, at most so many; fewer, or none, at the end. */
    public List<FolderEntry> page(int most, Deadline deadline) {
        List<FolderEntry> page = new ArrayList<>();
        while (page.size() < most) {
            Optional<FolderEntry> entry = next(deadline);
            if (entry.isEmpty()) {
                break;
            }
            page.add(entry.get());
        }
        return page;
    }

    @Override
    public void close() {
        records.close();
    }
}
