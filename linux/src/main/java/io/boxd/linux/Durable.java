package io.boxd.linux;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Files that a power cut must not take: their content, and the names in the folders that hold them.
 *
 * <p>A failed sync is never tried again: the kernel may have dropped what it could not write, and a
 * second call would say that all is well.
 */
public final class Durable {
    private Durable() {}

    /** Writes a new file that lasts once its folder is synced, too. */
    public static void write(Path file, byte[] content) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    /** Puts this content into the place of whatever the file was; nobody ever sees less, or with wider permissions. */
    public static void replace(Path file, byte[] content, String permissions) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(unfinished);
        var mode = PosixFilePermissions.fromString(permissions);
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (FileChannel channel = FileChannel.open(unfinished, options, PosixFilePermissions.asFileAttribute(mode))) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.setPosixFilePermissions(unfinished, mode);
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        syncFolder(Objects.requireNonNull(file.toAbsolutePath().getParent()));
    }

    /** Makes what anybody wrote into the file last. */
    public static void sync(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Makes the names in a folder last. */
    public static void syncFolder(Path folder) throws IOException {
        sync(folder);
    }

    /**
     * Gives a finished file or folder its real name in one step that lasts, with all that is in it.
     *
     * <p>Syncing what is on disk already costs next to nothing.
     */
    public static void publish(Path unfinished, Path finished) throws IOException {
        try (Stream<Path> tree = Files.walk(unfinished)) {
            for (Path entry : tree.filter(path -> !Files.isSymbolicLink(path)).toList()) {
                sync(entry);
            }
        }
        Files.move(unfinished, finished, StandardCopyOption.ATOMIC_MOVE);
        syncFolder(Objects.requireNonNull(finished.getParent()));
    }

    /** The error for a file that could not be written; a full disk is told apart, since users can mend it. */
    public static BoxdException failure(String what, IOException cause) {
        return failure(what, Objects.requireNonNullElse(cause.getMessage(), ""), cause);
    }

    /** The same with the words of whoever could not write it. */
    static BoxdException failure(String what, String reason, @Nullable IOException cause) {
        if (reason.contains("No space left") || reason.contains("Disk quota")) {
            return full(what + " (" + reason + ")", cause);
        }
        return new BoxdException(ErrorCode.INTERNAL, what + ": " + reason, cause);
    }

    /** The error for what a full disk is known to have caused. */
    public static BoxdException full(String what, @Nullable Throwable cause) {
        return new BoxdException(
                ErrorCode.RESOURCE_EXHAUSTED,
                what + ": the disk is full",
                "Free some space on it, or delete snapshots and boxes that are no longer needed. "
                        + "A disk is also full when it can hold no more files, whatever their size.",
                cause);
    }
}
