package io.boxd.vmm;

import io.boxd.linux.PageRuns;
import io.boxd.linux.SparseFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/** SHA-256 of files. */
final class Hashes {
    private static final int CHUNK_BYTES = 1 << 20;
    private static final byte[] ZEROS = new byte[PageRuns.PAGE_BYTES];

    private Hashes() {}

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    static byte[] ofFile(Path file) throws IOException {
        MessageDigest hash = sha256();
        try (InputStream stream = Files.newInputStream(file)) {
            byte[] chunk = new byte[CHUNK_BYTES];
            for (int n = stream.read(chunk); n >= 0; n = stream.read(chunk)) {
                hash.update(chunk, 0, n);
            }
        }
        return hash.digest();
    }

    /** Of every page that is not all zeros, with its place: the same however holes are kept. */
    static byte[] ofSparseFile(Path file) throws IOException {
        MessageDigest hash = sha256();
        byte[] chunk = new byte[CHUNK_BYTES];
        ByteBuffer place = ByteBuffer.allocate(Long.BYTES);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            for (SparseFile.Extent extent : SparseFile.dataOf(file)) {
                long at = extent.start() - extent.start() % PageRuns.PAGE_BYTES;
                while (at < extent.end()) {
                    int n = channel.read(ByteBuffer.wrap(chunk), at);
                    if (n <= 0) {
                        break;
                    }
                    for (int page = 0; page < n; page += PageRuns.PAGE_BYTES) {
                        int length = Math.min(PageRuns.PAGE_BYTES, n - page);
                        if (at + page < extent.end() && !isZero(chunk, page, length)) {
                            hash.update(place.clear().putLong(at + page).flip());
                            hash.update(chunk, page, length);
                        }
                    }
                    at += n;
                }
            }
        }
        return hash.digest();
    }

    private static boolean isZero(byte[] bytes, int from, int length) {
        return Arrays.equals(bytes, from, from + length, ZEROS, 0, length);
    }
}
