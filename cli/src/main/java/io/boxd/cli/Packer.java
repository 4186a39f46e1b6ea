package io.boxd.cli;

import io.boxd.console.Copied;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;

/** Writes a folder of this machine as an archive: what is in it, by names relative to it. */
final class Packer extends SimpleFileVisitor<Path> {
    private static final int CHUNK_BYTES = 64 * 1024;

    private final Path root;
    private final OutputStream output;
    private final TarWriter archive;
    private long entries;
    private long bytes;
    private long skipped;

    private Packer(Path root, OutputStream output) {
        this.root = root;
        this.output = output;
        this.archive = new TarWriter(output);
    }

    /** Packs the folder and says how much it was. */
    static Copied pack(Path root, OutputStream output) throws IOException {
        Packer packer = new Packer(root, output);
        Files.walkFileTree(root, packer);
        packer.archive.end();
        return new Copied(packer.bytes, packer.entries, packer.skipped);
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
        if (!folder.equals(root)) {
            archive.begin(entry(folder, TarEntry.Kind.FOLDER, 0, ""));
            entries++;
        }
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        if (attributes.isRegularFile()) {
            file(file, attributes.size());
            entries++;
        } else if (attributes.isSymbolicLink()) {
            String target = Files.readSymbolicLink(file).toString();
            archive.begin(entry(file, TarEntry.Kind.LINK, 0, target));
            entries++;
        } else {
            skipped++;
        }
        return FileVisitResult.CONTINUE;
    }

    /** A file that changes its size meanwhile must not break the archive: that is told instead. */
    private void file(Path file, long size) throws IOException {
        archive.begin(entry(file, TarEntry.Kind.FILE, size, ""));
        byte[] chunk = new byte[CHUNK_BYTES];
        long left = size;
        try (InputStream input = Files.newInputStream(file)) {
            while (left > 0) {
                int count = input.read(chunk, 0, (int) Math.min(chunk.length, left));
                if (count < 0) {
                    throw new IOException(file + " became shorter while it was copied");
                }
                output.write(chunk, 0, count);
                left -= count;
            }
        }
        archive.endContent(size);
        bytes += size;
    }

    private TarEntry entry(Path file, TarEntry.Kind kind, long size, String link) throws IOException {
        PosixFileAttributes attributes =
                Files.readAttributes(file, PosixFileAttributes.class, java.nio.file.LinkOption.NOFOLLOW_LINKS);
        return new TarEntry(
                root.relativize(file).toString(),
                kind,
                size,
                Permissions.mode(attributes.permissions()),
                attributes.lastModifiedTime().toInstant(),
                link,
                null);
    }
}
