package io.boxd.ledger;

import io.boxd.common.BoxdException;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The last snapshots of the state: from each, and the log after it, the state can be made again. */
final class Snapshots {
    /** The second is for the case that the first cannot be read. */
    private static final int KEPT = 2;

    private static final Pattern NAME = Pattern.compile("state-(\\d+)");

    private final Path folder;

    Snapshots(Path folder) {
        this.folder = folder;
    }

    private Path file(long index) {
        return folder.resolve("state-" + index);
    }

    /** Those that the state says are kept, oldest first; each is checked to its last byte. */
    List<StateFile> open(StateDatabase database) {
        FileOwner.folder(folder);
        List<Long> kept = database.snapshots();
        List<StateFile> files =
                kept.stream().map(index -> StateFile.open(file(index))).toList();
        // A server that was killed while it made or removed one leaves what nobody counts on.
        names().stream().filter(index -> !kept.contains(index)).forEach(index -> FileOwner.deleteTree(file(index)));
        return files;
    }

    /** Keeps the present state; returns up to where the log is needed no more. */
    long take(StateDatabase database) {
        StateFile taken = StateFile.write(database.file(), folder.resolve("unnamed"));
        try {
            Files.move(taken.file(), file(taken.position().index()), java.nio.file.StandardCopyOption.ATOMIC_MOVE);
            Durable.syncFolder(folder);
        } catch (IOException e) {
            throw Durable.failure("a snapshot of the state could not be kept in " + folder, e);
        }
        List<Long> before = new ArrayList<>(database.snapshots());
        before.remove(taken.position().index());
        before.add(taken.position().index());
        List<Long> kept = before.subList(Math.max(0, before.size() - KEPT), before.size());
        database.keepsSnapshots(kept);
        // From here on the state lasts without what the log has before the older of them.
        if (!StateDatabase.settle(database.file())) {
            return Position.NONE;
        }
        before.stream().filter(index -> !kept.contains(index)).forEach(index -> FileOwner.deleteTree(file(index)));
        return kept.size() < KEPT ? Position.NONE : kept.getFirst();
    }

    /** The newest that is whole, whatever the state says. */
    Optional<StateFile> newestGood() {
        for (long index : names().reversed()) {
            try {
                return Optional.of(StateFile.open(file(index)));
            } catch (BoxdException e) {
                // An older one may do.
            }
        }
        return Optional.empty();
    }

    private List<Long> names() {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(path -> NAME.matcher(path.getFileName().toString()))
                    .filter(Matcher::matches)
                    .map(match -> Long.valueOf(match.group(1)))
                    .sorted(Comparator.naturalOrder())
                    .toList();
        } catch (IOException e) {
            throw Durable.failure("the snapshots in " + folder + " cannot be listed", e);
        }
    }
}
