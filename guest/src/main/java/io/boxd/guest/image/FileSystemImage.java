package io.boxd.guest.image;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes the ext4 file that a machine's disk starts as. */
final class FileSystemImage {
    /** The time stamp of everything that is made: the same recipe should not give different bytes. */
    static final String EPOCH_SECONDS = "1767225600";

    private static final int BLOCK_BYTES = 4096;
    private static final long ALIGNMENT_BYTES = 64L << 20;
    private static final long JOURNAL_BYTES = 64L << 20;
    private static final long EMPTY_JOURNAL_BYTES = 8L << 20;
    /** Room for group descriptors up to 1 TiB, so that a mounted disk can grow without moving anything. */
    private static final long GROWTH_BLOCKS = (1L << 40) / BLOCK_BYTES;

    private FileSystemImage() {}

    /** Fills the file from a folder (or leaves it empty) with this much room to spare; returns its size. */
    static long make(Path file, @Nullable Path content, long spareBytes, String key, Deadline deadline)
            throws IOException {
        long contentBytes = content == null ? 0 : usedBytes(content, deadline);
        long bytes = align(contentBytes + contentBytes / 20 + JOURNAL_BYTES + spareBytes);
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(bytes);
        }
        Command.of(commandLine(file, content, key))
                .withEnvironment("E2FSPROGS_FAKE_TIME", EPOCH_SECONDS)
                .check(deadline);
        return bytes;
    }

    /**
     * Inode tables count as zeroed because the file is new and sparse: otherwise a kernel thread would write them in
     * each guest. No blocks are reserved for root, and half the usual inodes keep growing a disk quick.
     */
    static List<String> commandLine(Path file, @Nullable Path content, String key) {
        List<String> argv = new ArrayList<>(List.of(
                "mke2fs",
                "-q",
                "-F",
                "-t",
                "ext4",
                "-b",
                String.valueOf(BLOCK_BYTES),
                "-i",
                "32768",
                "-J",
                "size=" + ((content == null ? EMPTY_JOURNAL_BYTES : JOURNAL_BYTES) >> 20),
                "-m",
                "0",
                "-L",
                "boxd",
                "-U",
                uuid(key + "uuid"),
                "-E",
                "lazy_itable_init=0,lazy_journal_init=0,assume_storage_prezeroed=1,hash_seed=" + uuid(key + "hash")
                        + ",resize=" + GROWTH_BLOCKS));
        if (content != null) {
            argv.addAll(List.of("-d", content.toString()));
        }
        argv.add(file.toString());
        return argv;
    }

    private static long usedBytes(Path content, Deadline deadline) {
        String output = Command.of("du", "-s", "-B", "1", content.toString())
                .check(deadline)
                .output();
        return Long.parseLong(output.substring(0, output.indexOf('\t')));
    }

    private static long align(long bytes) {
        return (bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
    }

    private static String uuid(String seed) {
        return UUID.nameUUIDFromBytes(seed.getBytes(StandardCharsets.UTF_8)).toString();
    }
}
