package io.boxd.ledger;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import io.boxd.linux.FreeSpace;
import io.boxd.linux.SpaceReserve;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Decisions that last: each is in the log, on disk, before it becomes part of the state and is acknowledged.
 *
 * <p>Thread-safe. One machine is a group of one: what holds for it holds for more.
 */
public final class Ledger implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Ledger.class.getName());

    /** Below this nothing is begun that could not be finished. */
    private static final long LEAST_FREE_BYTES = 4L << 20;

    private final LedgerConfig config;
    private final FileChannel lock;
    private final StateDatabase database;
    private final Books books;
    private final SpaceReserve reserve;
    private final AtomicLong commits = new AtomicLong();
    private final AtomicLong newEntries = new AtomicLong();
    private final AtomicLong newBytes = new AtomicLong();
    private final AtomicBoolean snapshotting = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ReentrantLock keeping = new ReentrantLock();
    private volatile boolean gone;
    private volatile Replica replica;

    @SuppressWarnings("NullAway.Init")
    private Ledger(LedgerConfig config, FileChannel lock, StateDatabase database, Books books) {
        this.config = config;
        this.lock = lock;
        this.database = database;
        this.books = books;
        this.reserve = new SpaceReserve(config.folder().resolve("reserve"));
    }

    /** Opens the ledger in its folder, or begins one; damage of any kind stops here, by name. */
    public static Ledger open(LedgerConfig config, List<Book> all, Deadline deadline) {
        FileOwner.folder(config.folder());
        FileChannel lock = lock(config);
        StateDatabase database = null;
        Ledger ledger = null;
        try {
            Books books = new Books(all);
            database = database(config);
            requireKnown(database, books);
            LogCheck.check(
                    config.log(),
                    books,
                    database.file(),
                    database.position(),
                    config.snapshots().open(database));
            ledger = new Ledger(config, lock, database, books);
            ledger.begin(deadline);
            return ledger;
        } catch (RuntimeException e) {
            if (ledger != null && ledger.isStarted()) {
                ledger.replica.close();
            }
            if (database != null) {
                database.close();
            }
            unlock(lock);
            throw e;
        }
    }

    private boolean isStarted() {
        return replica != null;
    }

    /** Only one process writes; others may copy. */
    static FileChannel lock(LedgerConfig config) {
        Path file = config.folder().resolve("lock");
        try {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (channel.tryLock() != null) {
                return channel;
            }
            channel.close();
        } catch (OverlappingFileLockException e) {
            // This very process.
            throw used(config, e);
        } catch (IOException e) {
            throw Durable.failure("cannot lock " + file, e);
        }
        throw used(config, null);
    }

    private static BoxdException used(LedgerConfig config, @org.jspecify.annotations.Nullable Throwable cause) {
        return new BoxdException(
                ErrorCode.WRONG_STATE,
                "the state in " + config.folder() + " is used by a server",
                "End it first: boxd down.",
                cause);
    }

    static void unlock(FileChannel lock) {
        try {
            lock.close();
        } catch (IOException e) {
            throw Durable.failure("cannot unlock", e);
        }
    }

    private static StateDatabase database(LedgerConfig config) {
        Path file = config.database();
        if (!Files.exists(file)) {
            if (Files.exists(config.log().current())
                    || Files.exists(config.folder().resolve("snapshots"))) {
                throw Damage.missing(file, "there is a log, so there was a state");
            }
            StateDatabase.begin(file);
        }
        return StateDatabase.open(file);
    }

    private static void requireKnown(StateDatabase database, Books books) {
        for (Book book : books.all()) {
            if (database.version(book.name()) > book.version()) {
                throw Damage.newer("the part " + book.name() + " of the state " + database.file());
            }
        }
    }

    private void begin(Deadline deadline) {
        for (Book book : books.all()) {
            if (database.version(book.name()) == book.version()) {
                database.load(book);
            }
        }
        AppliedState state = new AppliedState(database, books, config.log().current(), this::applied);
        replica = Replica.start(config, state, deadline);
        for (Book book : books.all()) {
            if (database.version(book.name()) < book.version()) {
                Answer.open(replica.submit(Entry.migration(book).bytes(), deadline));
            }
        }
        reserve.fill();
        newEntries.set(index() - database.snapshots().stream().reduce(Position.NONE, Math::max));
    }

    /**
     * Decides on a command of a book: when this returns, the decision lasts; a refusal is thrown as the book threw it.
     *
     * <p>If the time is over before, it may still be decided.
     */
    public String commit(String book, String command, Deadline deadline) {
        byte[] entry = new Entry(book, books.named(book).version(), command).bytes();
        if (command.isEmpty() || entry.length > RaftSettings.ENTRY_BYTES - RaftSettings.AROUND_BYTES) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT, "a decision of " + entry.length + " bytes cannot be written down");
        }
        requireSpace(entry.length);
        commits.incrementAndGet();
        return Answer.open(replica.submit(entry, deadline));
    }

    /** What is in the log must be applied: so nothing is put there that has no room. */
    private void requireSpace(int bytes) {
        // In the log, and in the state until SQLite has merged it.
        long needed = LEAST_FREE_BYTES + 3L * bytes;
        // Above all, what was deleted to make room must be written down.
        if (!hasSpace(needed) && (!reserve.giveUp() || !hasSpace(needed))) {
            throw Durable.full(
                    "nothing can be decided with less than " + (needed >> 20) + " MiB for " + config.folder(), null);
        }
    }

    private boolean hasSpace(long bytes) {
        return FreeSpace.of(config.folder()).bytes() >= bytes;
    }

    /** How many commands were put into the log since it was opened. */
    public long commits() {
        return commits.get();
    }

    /** The last entry that the state follows from, or -1. */
    public long index() {
        return database.position().index();
    }

    /** Where other members would reach this one. */
    InetSocketAddress address() {
        return replica.address();
    }

    private void applied(long bytes) {
        long entries = newEntries.incrementAndGet();
        boolean many = entries >= config.snapshotEntries() || newBytes.addAndGet(bytes) >= config.snapshotBytes();
        if (many && snapshotting.compareAndSet(false, true)) {
            newEntries.set(0);
            newBytes.set(0);
            Thread.ofVirtual().name("state-snapshot").start(this::snapshotByItself);
        }
    }

    private void snapshotByItself() {
        keeping.lock();
        try {
            if (!gone) {
                snapshot();
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "the state could not be kept; the log grows until it can", e);
        } finally {
            reserve.fill();
            snapshotting.set(false);
            keeping.unlock();
        }
    }

    /** Keeps the present state, and forgets what of the log is not needed any more. */
    void snapshot() {
        long needless = config.snapshots().take(database);
        if (needless != Position.NONE) {
            replica.purge(needless);
        }
    }

    /**
     * Writes the present state to a file, whether a server uses it or not; returns the last entry it follows from.
     *
     * <p>If none does, the log may know more than the state: it is applied first.
     */
    public static long backup(LedgerConfig config, List<Book> books, Path file, Deadline deadline) {
        if (!Files.exists(config.database())) {
            throw new BoxdException(
                    ErrorCode.NOT_FOUND, "there is no state in " + config.folder(), "Start a server: boxd up.", null);
        }
        if (isUsed(config)) {
            return StateFile.write(config.database(), file).position().index();
        }
        try (Ledger ledger = open(config, books, deadline)) {
            return StateFile.write(ledger.config.database(), file).position().index();
        }
    }

    private static boolean isUsed(LedgerConfig config) {
        try {
            unlock(lock(config));
            return false;
        } catch (BoxdException e) {
            if (e.code() != ErrorCode.WRONG_STATE) {
                throw e;
            }
            return true;
        }
    }

    /** Keeps the state before it ends, so that there is always a snapshot to go back to. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        // One that is being kept just now needs what is closed here.
        keeping.lock();
        try {
            if (newEntries.get() > 0 && index() != Position.NONE && snapshotting.compareAndSet(false, true)) {
                snapshotByItself();
            }
            gone = true;
            replica.close();
        } finally {
            keeping.unlock();
            database.close();
            unlock(lock);
        }
    }
}
