package io.boxd.linux;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/** Second names for files that never change. */
public final class FileTree {
    private static final long COPY_SECONDS = 300;

    private FileTree() {}

    /**
     * Makes a tree whose files are the same files, so that either can be deleted without the other.
     *
     * <p>Where that is impossible, because they are on different file systems, they are copied.
     */
    public static void link(Path from, Path to) throws IOException {
        List<Path> entries;
        try (Stream<Path> tree = Files.walk(from)) {
            entries = tree.toList();
        }
        for (Path entry : entries) {
            Path target = to.resolve(from.relativize(entry).toString());
            if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectories(target);
                Files.setPosixFilePermissions(target, Files.getPosixFilePermissions(entry));
            } else {
                linkFile(entry, target);
            }
        }
    }

    /** The same for one file. */
    public static void linkFile(Path from, Path to) throws IOException {
        try {
            Files.createLink(to, from);
        } catch (FileSystemException e) {
            if (sameFileSystem(from, to)) {
                throw e;
            }
            Command.of("cp", "--archive", "--sparse=always", from.toString(), to.toString())
                    .check(Deadline.inSeconds(COPY_SECONDS));
        }
    }

    private static boolean sameFileSystem(Path from, Path to) throws IOException {
        Path folder = to.toAbsolutePath().getParent();
        return folder != null && Files.getAttribute(from, "unix:dev").equals(Files.getAttribute(folder, "unix:dev"));
    }

    /** Replaces a small file in one step; after a power cut either content may be there. */
    public static void replace(Path file, byte[] content) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        try {
            Files.write(next, content);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            Files.deleteIfExists(next);
            throw e;
        }
    }
}
