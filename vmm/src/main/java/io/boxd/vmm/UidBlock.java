package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A block of user ids that belongs to one instance on this host, one id for each of its cells.
 *
 * <p>Taken under a lock in a folder that all instances share, so two of them never use the same id. A
 * block whose instance is not running stays taken while that instance's cells exist.
 */
final class UidBlock implements AutoCloseable {
    private static final int FIRST_UID = 1_800_000_000;
    private static final int BLOCK = 4096;
    private static final int BLOCKS = 4096;

    private final FileChannel lockFile;
    private final int firstUid;
    private final BitSet used = new BitSet(BLOCK);
    private int next;

    private UidBlock(FileChannel lockFile, int firstUid) {
        this.lockFile = lockFile;
        this.firstUid = firstUid;
    }

    /** Takes the block that this home had before, or the first free one. */
    static UidBlock take(Path registry, Path home) {
        FileOwner.folder(registry);
        for (int pass = 0; pass < 2; pass++) {
            for (int block = 0; block < BLOCKS; block++) {
                UidBlock taken = tryTake(registry.resolve("uids-" + block), home, block, pass == 0);
                if (taken != null) {
                    return taken;
                }
            }
        }
        throw new BoxdException(
                ErrorCode.RESOURCE_EXHAUSTED,
                "every block of user ids is taken",
                "Remove files of instances that no longer exist from " + registry + ".",
                null);
    }

    private static @Nullable UidBlock tryTake(Path file, Path home, int block, boolean onlyOurs) {
        try {
            if (onlyOurs && !(Files.exists(file) && owner(file).equals(home.toString()))) {
                return null;
            }
            FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            if (lock(channel) == null || !mayTake(file, home)) {
                channel.close();
                return null;
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(home.toString().getBytes(StandardCharsets.UTF_8)), 0);
            return new UidBlock(channel, FIRST_UID + block * BLOCK);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot take a block of user ids", e);
        }
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            // Another instance in this very process.
            return null;
        }
    }

    private static boolean mayTake(Path file, Path home) throws IOException {
        String owner = owner(file);
        if (owner.isEmpty() || owner.equals(home.toString())) {
            return true;
        }
        Path cells = Path.of(owner).resolve("cells");
        if (!Files.isDirectory(cells)) {
            return true;
        }
        try (Stream<Path> entries = Files.list(cells)) {
            return entries.findAny().isEmpty();
        }
    }

    private static String owner(Path file) throws IOException {
        return Files.readString(file).strip();
    }

    /** An id that no other cell has; goes round the block, so that one is not used again soon. */
    synchronized int acquire() {
        for (int i = 0; i < BLOCK; i++) {
            int slot = (next + i) % BLOCK;
            if (!used.get(slot)) {
                used.set(slot);
                next = slot + 1;
                return firstUid + slot;
            }
        }
        throw new BoxdException(ErrorCode.RESOURCE_EXHAUSTED, "this instance has " + BLOCK + " cells already");
    }

    synchronized void release(int uid) {
        used.clear(uid - firstUid);
    }

    @Override
    public void close() {
        try {
            // Emptied, not deleted: somebody may be waiting for the lock on this very file.
            lockFile.truncate(0);
            lockFile.close();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot give back a block of user ids", e);
        }
    }
}
