package io.boxd.linux;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/** Owners, permissions and removal of files, without ever following a link. */
public final class FileOwner {
    private FileOwner() {}

    /** Makes a folder that must not exist yet. */
    public static Path newFolder(Path folder, String permissions) {
        try {
            Files.createDirectory(folder);
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(permissions));
            return folder;
        } catch (IOException e) {
            throw Durable.failure("cannot make folder " + folder, e);
        }
    }

    /** Makes a folder and its parents where they are missing; only root may look into new ones. */
    public static Path folder(Path folder) {
        try {
            return Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw Durable.failure("cannot make folder " + folder, e);
        }
    }

    /** Gives a file to a user and group of the same number; the permissions are set first. */
    public static void give(Path file, int uid, String permissions) {
        try {
            if (Files.isSymbolicLink(file)) {
                throw new BoxdException(ErrorCode.INTERNAL, file + " is a link, where none may be");
            }
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
            Files.setAttribute(file, "unix:gid", uid, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(file, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot give " + file + " to user " + uid, e);
        }
    }

    /** Deletes a file or a whole folder; links inside are deleted, never followed. */
    public static void deleteTree(Path path) {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            Files.walkFileTree(path, new Deleter());
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot delete " + path, e);
        }
    }

    private static final class Deleter extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                // Gone while we looked: what we wanted.
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
            if (failure != null && !(failure instanceof NoSuchFileException)) {
                throw failure;
            }
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
        }
    }
}
