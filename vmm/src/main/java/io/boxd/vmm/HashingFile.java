package io.boxd.vmm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;

/** A new file that is written once, from start to end, and hashed on the way. */
final class HashingFile implements AutoCloseable {
    private static final int CHUNK_BYTES = 1 << 20;

    private final Path path;
    private final FileChannel channel;
    private final MessageDigest hash = Hashes.sha256();
    private long bytes;

    private HashingFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    static HashingFile create(Path path) throws IOException {
        return new HashingFile(path, FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    }

    void write(ByteBuffer content) throws IOException {
        hash.update(content.duplicate());
        while (content.hasRemaining()) {
            bytes += channel.write(content);
        }
    }

    /** Appends a stretch of another file. */
    void copy(FileChannel source, long start, long end) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocateDirect((int) Math.min(CHUNK_BYTES, end - start));
        long at = start;
        while (at < end) {
            chunk.clear().limit((int) Math.min(chunk.capacity(), end - at));
            int n = source.read(chunk, at);
            if (n <= 0) {
                throw new IOException("a base's memory ends at " + at + " instead of " + end);
            }
            at += n;
            write(chunk.flip());
        }
    }

    /** Makes the content last; the name does when the folder is synced. */
    Part finish() throws IOException {
        channel.force(true);
        return new Part(path.getFileName().toString(), bytes, HexFormat.of().formatHex(hash.digest()), false);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
