package io.boxd.cli;

import io.boxd.console.Copied;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Set;

/**
 * Unpacks an archive from a box into a folder of this machine, and nowhere else: whatever names and links are in it,
 * nothing outside that folder is written, and no link is made that leads out of it.
 */
final class Unpacker {
    private static final int CHUNK_BYTES = 64 * 1024;
    private static final Set<StandardOpenOption> NEW =
            EnumSet.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);

    private final Path root;
    private final TarReader archive;
    private final byte[] chunk = new byte[CHUNK_BYTES];
    private final Deque<Folder> folders = new ArrayDeque<>();
    private long entries;
    private long bytes;
    private long skipped;

    /** What a folder gets when everything is in it. */
    private record Folder(Path path, TarEntry entry) {}

    private Unpacker(Path root, TarReader archive) {
        this.root = root;
        this.archive = archive;
    }

    static Copied unpack(InputStream input, Path root) throws IOException {
        Files.createDirectories(root);
        Unpacker unpacker = new Unpacker(root.toRealPath(), new TarReader(input));
        for (TarEntry entry = unpacker.archive.next(); entry != null; entry = unpacker.archive.next()) {
            unpacker.unpack(entry);
        }
        unpacker.finishFolders();
        return new Copied(unpacker.bytes, unpacker.entries, unpacker.skipped);
    }

    private void unpack(TarEntry entry) throws IOException {
        Path target = inside(entry.name());
        if (target.equals(root)) {
            return;
        }
        makeParents(target);
        boolean done = switch (entry.kind()) {
            case FILE -> file(entry, target);
            case FOLDER -> folder(entry, target);
            case LINK -> link(entry, target);
            case HARD_LINK -> hardLink(entry, target);
            case OTHER -> false;
        };
        if (done) {
            entries++;
        } else {
            skipped++;
        }
    }

    /** Where the name leads, which must be in the folder by its words alone. */
    private Path inside(String name) throws IOException {
        Path path;
        try {
            path = Path.of(name);
        } catch (InvalidPathException e) {
            throw new IOException("the archive has a name that no file can have", e);
        }
        if (name.isEmpty() || path.isAbsolute()) {
            throw leadsOut();
        }
        for (Path part : path) {
            if (part.toString().equals("..")) {
                throw leadsOut();
            }
        }
        return root.resolve(path).normalize();
    }

    private static IOException leadsOut() {
        return new IOException("the archive has a name that leads out of its folder");
    }

    /** Each folder on the way is a real one: a link among them could lead anywhere. */
    private void makeParents(Path target) throws IOException {
        Path at = root;
        Path parent = target.getParent();
        if (parent == null || parent.equals(root)) {
            return;
        }
        for (Path part : root.relativize(parent)) {
            at = at.resolve(part);
            if (Files.isDirectory(at, LinkOption.NOFOLLOW_LINKS)) {
                continue;
            }
            if (Files.exists(at, LinkOption.NOFOLLOW_LINKS)) {
                throw leadsOut();
            }
            Files.createDirectory(at);
        }
    }

    private boolean file(TarEntry entry, Path target) throws IOException {
        Path temporary = target.resolveSibling(".boxd-" + Long.toHexString(System.nanoTime()) + "-" + entries);
        try {
            try (SeekableByteChannel channel = Files.newByteChannel(temporary, NEW)) {
                if (entry.sparseSize() == null) {
                    copy(channel, entry.size());
                } else {
                    sparse(channel, entry.sparseSize());
                }
            }
            finish(temporary, entry);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
        return true;
    }

    private void copy(SeekableByteChannel channel, long length) throws IOException {
        long left = length;
        while (left > 0) {
            int count = archive.read(chunk, 0, (int) Math.min(chunk.length, left));
            if (count < 0) {
                throw new IOException("the archive has less content than it says");
            }
            ByteBuffer buffer = ByteBuffer.wrap(chunk, 0, count);
            while (buffer.hasRemaining()) {
                int written = channel.write(buffer);
                bytes += written;
            }
            left -= count;
        }
    }

    /** Content with holes: first a list of where the parts belong, then the parts. */
    private void sparse(SeekableByteChannel channel, long size) throws IOException {
        SparseMap map = SparseMap.read(archive, size);
        for (SparseMap.Part part : map.parts()) {
            channel.position(part.offset());
            copy(channel, part.length());
        }
        if (channel.size() < size) {
            channel.position(size - 1);
            channel.write(ByteBuffer.wrap(new byte[1]));
        }
    }

    private boolean folder(TarEntry entry, Path target) throws IOException {
        if (!Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
            Files.deleteIfExists(target);
            Files.createDirectory(target);
        }
        folders.push(new Folder(target, entry));
        return true;
    }

    private boolean link(TarEntry entry, Path target) throws IOException {
        Path leadsTo;
        try {
            leadsTo = Path.of(entry.link());
        } catch (InvalidPathException e) {
            return false;
        }
        Path parent = target.getParent();
        if (leadsTo.isAbsolute() || parent == null || !staysInside(parent, leadsTo)) {
            return false;
        }
        replace(target);
        Files.createSymbolicLink(target, leadsTo);
        return true;
    }

    /** Step by step: a path that only comes back in the end has been outside, and a link on it can be anything. */
    private boolean staysInside(Path from, Path link) {
        Path at = from;
        for (Path part : link) {
            at = at.resolve(part).normalize();
            if (!at.startsWith(root) || Files.isSymbolicLink(at)) {
                return false;
            }
        }
        return true;
    }

    private boolean hardLink(TarEntry entry, Path target) throws IOException {
        Path existing = inside(entry.link());
        makeParents(existing);
        if (!Files.isRegularFile(existing, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        if (!existing.equals(target)) {
            replace(target);
            Files.createLink(target, existing);
        }
        return true;
    }

    private static void replace(Path target) throws IOException {
        Files.deleteIfExists(target);
    }

    private void finishFolders() throws IOException {
        for (Folder folder : folders) {
            if (Files.isDirectory(folder.path(), LinkOption.NOFOLLOW_LINKS)) {
                finish(folder.path(), folder.entry());
            }
        }
    }

    private static void finish(Path path, TarEntry entry) throws IOException {
        Files.setPosixFilePermissions(path, Permissions.of(entry.mode()));
        BasicFileAttributeView view =
                Files.getFileAttributeView(path, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        view.setTimes(FileTime.from(entry.modified()), null, null);
    }
}
