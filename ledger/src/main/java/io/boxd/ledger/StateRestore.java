package io.boxd.ledger;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Makes the state of a ledger that cannot be opened usable again, from what is whole.
 *
 * <p>Nothing is deleted: what was there is kept aside, in a folder beside it. Can be run again after it was killed.
 */
public final class StateRestore {
    private static final String RESTORED = "state.db.restored";

    private final LedgerConfig config;
    private final Books books;

    private StateRestore(LedgerConfig config, List<Book> books) {
        this.config = config;
        this.books = new Books(books);
    }

    /**
     * What was restored.
     *
     * @param from the file that the state was taken from
     * @param index the last entry that it follows from
     * @param log whether the log could be kept, so that what it has after that entry is applied at the next start
     * @param lost how many entries are known to be lost: the ones after that, unless the log was kept
     * @param aside where the files are that were in use before
     */
    public record Restored(Path from, long index, boolean log, long lost, Path aside) {}

    /** Takes the state from a file, or from the newest that is whole here; no server may be using it. */
    public static Restored run(LedgerConfig config, List<Book> books, Optional<Path> file) {
        FileOwner.folder(config.folder());
        FileChannel lock = Ledger.lock(config);
        try {
            return new StateRestore(config, books).restore(file);
        } catch (IOException e) {
            throw Durable.failure("the state in " + config.folder() + " could not be restored", e);
        } finally {
            // What could not be used is not left behind; what could has its own name by now.
            for (String ending : List.of("", "-wal", "-shm")) {
                FileOwner.deleteTree(config.folder().resolve(RESTORED + ending));
            }
            Ledger.unlock(lock);
        }
    }

    private Restored restore(Optional<Path> file) throws IOException {
        Path restored = config.folder().resolve(RESTORED);
        FileOwner.deleteTree(restored);
        Optional<Position> present = present();
        Path from = file.isPresent() ? fromFile(file.get(), restored) : fromHere(present, restored);
        Position position = checked(restored);
        long known = Math.max(known(), present.map(Position::index).orElse(Position.NONE));
        boolean log = file.isEmpty() && logGoesOn(position);
        Path aside = aside();
        FileOwner.folder(config.folder().resolve("snapshots"));
        Path snapshot = config.folder().resolve("state-restored");
        StateFile.write(restored, snapshot);
        move(config.database(), aside);
        move(config.database().resolveSibling("state.db-wal"), aside);
        move(config.database().resolveSibling("state.db-shm"), aside);
        move(config.folder().resolve("snapshots"), aside);
        if (!log) {
            move(config.log().root(), aside);
            beginLog(position);
        }
        FileOwner.folder(config.folder().resolve("snapshots"));
        Files.move(snapshot, config.folder().resolve("snapshots/state-" + position.index()));
        Durable.publish(restored, config.database());
        Durable.syncFolder(config.folder().resolve("snapshots"));
        return new Restored(from, position.index(), log, log ? 0 : Math.max(0, known - position.index()), aside);
    }

    /** The state itself, if it is whole: then it knows more than any snapshot of it. */
    private Optional<Position> present() {
        if (!Files.exists(config.database())) {
            return Optional.empty();
        }
        try (StateDatabase database = StateDatabase.open(config.database())) {
            return Optional.of(database.position());
        } catch (BoxdException e) {
            return Optional.empty();
        }
    }

    private static Path fromFile(Path file, Path restored) {
        if (!Files.exists(file)) {
            throw new BoxdException(ErrorCode.NOT_FOUND, "there is no file " + file);
        }
        StateFile.open(file).extract(restored);
        return file;
    }

    private Path fromHere(Optional<Position> present, Path restored) {
        Optional<StateFile> kept = config.snapshots().newestGood();
        long keptIndex = kept.map(found -> found.position().index()).orElse(Position.NONE);
        if (present.isPresent() && present.get().index() >= keptIndex) {
            StateDatabase.copy(config.database(), restored);
            return config.database();
        }
        if (kept.isEmpty()) {
            throw new BoxdException(
                    ErrorCode.NOT_FOUND,
                    "neither the state nor any snapshot of it in " + config.folder() + " is whole",
                    "Give a file that boxd state backup has written: boxd state restore FILE. Nothing was changed.",
                    null);
        }
        kept.get().extract(restored);
        return kept.get().file();
    }

    private Position checked(Path restored) {
        try (StateDatabase database = StateDatabase.open(restored)) {
            for (Book book : books.all()) {
                if (database.version(book.name()) > book.version()) {
                    throw Damage.newer("the part " + book.name() + " of the state");
                }
            }
            database.keepsSnapshots(List.of(database.position().index()));
            return database.position();
        }
    }

    /** Up to where the names of the files say that there was a log. */
    private long known() {
        return Segment.in(config.log().current()).stream()
                .mapToLong(segment -> segment.end().orElse(segment.start() - 1))
                .max()
                .orElse(Position.NONE);
    }

    /** Whether the log is whole, and has everything after this point. */
    private boolean logGoesOn(Position position) {
        try {
            List<StateFile> known = config.snapshots().newestGood().stream()
                    .filter(kept -> kept.position().index() <= position.index())
                    .toList();
            LogCheck.check(config.log(), books, config.database(), position, known);
            return true;
        } catch (BoxdException e) {
            return false;
        }
    }

    private Path aside() throws IOException {
        String time = Instant.now().toString().replace(':', '-');
        Path aside = config.folder().resolve("aside-" + time);
        FileOwner.newFolder(aside, "rwx------");
        Durable.syncFolder(config.folder());
        return aside;
    }

    private static void move(Path file, Path aside) throws IOException {
        if (Files.exists(file)) {
            Files.move(file, aside.resolve(file.getFileName()));
        }
    }

    /** An empty log that goes on after what is lost. */
    private void beginLog(Position position) throws IOException {
        FileOwner.folder(config.log().current());
        String text = "term=" + position.term() + "\nvotedFor=\n";
        Durable.write(config.log().metadata(), text.getBytes(StandardCharsets.UTF_8));
        Durable.syncFolder(config.log().current());
        Durable.syncFolder(config.log().group());
        Durable.syncFolder(config.log().root());
    }
}
