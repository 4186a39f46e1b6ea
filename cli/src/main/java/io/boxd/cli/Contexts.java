package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The file in which the servers that the user knows are kept, with their tokens: nobody else may read it. */
final class Contexts {
    private static final Duration LOCK_PATIENCE = Duration.ofSeconds(10);
    private static final long LOCK_PAUSE_NANOS = 10_000_000;
    private static final int MOST_BYTES = 16 << 20;
    private static final String OWN_FOLDER = "rwx------";
    private static final String OWN_FILE = "rw-------";

    /** Null where the environment does not say where the user is at home. */
    private final @Nullable Path folder;

    private Contexts(@Nullable Path folder) {
        this.folder = folder;
    }

    static Contexts of(Map<String, String> environment) {
        String given = environment.getOrDefault("XDG_CONFIG_HOME", "");
        String home = environment.getOrDefault("HOME", "");
        // A relative path would mean something else in each folder; the rules of XDG say to ignore it.
        if (given.startsWith("/")) {
            return new Contexts(Path.of(given, "boxd"));
        }
        return new Contexts(home.startsWith("/") ? Path.of(home, ".config", "boxd") : null);
    }

    /** Where what belongs to the command is kept. */
    Path folder() {
        Path own = folder;
        if (own == null) {
            throw nowhere("there is no folder to keep files in");
        }
        return own;
    }

    private static BoxdException nowhere(String message) {
        return new BoxdException(ErrorCode.INVALID_ARGUMENT, message, "Set HOME or XDG_CONFIG_HOME.", null);
    }

    /** All of them; none if nothing was ever kept. */
    KnownContexts load() {
        if (folder == null) {
            return KnownContexts.NONE;
        }
        Path file = folder.resolve("contexts.json");
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new BoxdException(ErrorCode.INTERNAL, file + " is too large to be ours");
            }
            return KnownContexts.parse(Files.readString(file), file.toString());
        } catch (NoSuchFileException e) {
            return KnownContexts.NONE;
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    /** Changes what is kept, one at a time; whoever reads meanwhile sees all of the old or all of the new. */
    KnownContexts change(UnaryOperator<KnownContexts> how) {
        Path own = folder;
        if (own == null) {
            throw nowhere("there is no folder to keep a token in");
        }
        try {
            Files.createDirectories(own, attribute(OWN_FOLDER));
            Files.setPosixFilePermissions(own, PosixFilePermissions.fromString(OWN_FOLDER));
            try (FileChannel lock = FileChannel.open(
                    own.resolve("lock"),
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                    attribute(OWN_FILE))) {
                take(lock);
                KnownContexts changed = how.apply(load());
                write(own, changed.json());
                return changed;
            }
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot write into " + own + ": " + e.getMessage(), e);
        }
    }

    private static FileAttribute<Set<PosixFilePermission>> attribute(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }

    private static void take(FileChannel lock) throws IOException {
        Deadline deadline = Deadline.in(LOCK_PATIENCE);
        while (!isTaken(lock)) {
            if (deadline.passed()) {
                throw deadline.exceeded("another boxd that changes the contexts");
            }
            LockSupport.parkNanos(LOCK_PAUSE_NANOS);
        }
    }

    /** Given back when the channel is closed. */
    private static boolean isTaken(FileChannel lock) throws IOException {
        try {
            return lock.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false; // another thread of this process has it
        }
    }

    private static void write(Path folder, String json) throws IOException {
        Path fresh = Files.createTempFile(folder, "contexts", ".new", attribute(OWN_FILE));
        try {
            try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap(json.getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(fresh, folder.resolve("contexts.json"), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }
}
