package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A block of user ids that belongs to one instance on this host, one id for each of its cells.
 *
 * <p>Taken under a lock in a folder that all instances share, so two of them never use the same id, and
 * two servers never run in one home. A block whose instance is not running stays taken while that
 * instance's cells exist.
 */
final class UidBlock implements AutoCloseable {
    private static final int FIRST_UID = 1_800_000_000;
    private static final int BLOCK = 4096;
    private static final int BLOCKS = 4096;
    private static final int LONGEST_OWNER = 4096;

    /**
     * Which files this process holds, and for which home; guards itself.
     *
     * <p>These must not even be opened again: a process that closes any descriptor of a file gives up
     * all its locks on it.
     */
    private static final Map<Path, Path> HELD = new HashMap<>();

    private final Path file;
    private final FileChannel channel;
    private final Path home;
    private final int firstUid;
    private final BitSet used = new BitSet(BLOCK);
    private int next;

    private UidBlock(Path file, FileChannel channel, Path home, int firstUid) {
        this.file = file;
        this.channel = channel;
        this.home = home;
        this.firstUid = firstUid;
    }

    /** Takes the block that this home had before, or the first free one. */
    static UidBlock take(Path registry, Path home) {
        return take(registry, home, BLOCKS);
    }

    /** With fewer blocks, for tests. */
    static UidBlock take(Path registry, Path home, int blocks) {
        Path shared = FileOwner.folder(registry).toAbsolutePath().normalize();
        Path owner = home.toAbsolutePath().normalize();
        synchronized (HELD) {
            try (FileChannel channel = open(shared.resolve("lock"));
                    FileLock lock = channel.lock()) {
                assert lock.isValid();
                for (boolean onlyOurs : new boolean[] {true, false}) {
                    for (int block = 0; block < blocks; block++) {
                        UidBlock taken = tryTake(shared.resolve("uids-" + block), owner, block, onlyOurs);
                        if (taken != null) {
                            return taken;
                        }
                    }
                }
            } catch (IOException e) {
                throw new BoxdException(ErrorCode.INTERNAL, "cannot take a block of user ids", e);
            }
        }
        throw new BoxdException(
                ErrorCode.RESOURCE_EXHAUSTED,
                "every block of user ids is taken",
                "Remove files of instances that no longer exist from " + registry + ".",
                null);
    }

    private static @Nullable UidBlock tryTake(Path file, Path home, int block, boolean onlyOurs) throws IOException {
        Path holder = HELD.get(file);
        if (home.equals(holder)) {
            throw inUse(home);
        }
        if (holder != null || (onlyOurs && !Files.exists(file))) {
            return null;
        }
        boolean taken = false;
        FileChannel channel = open(file);
        try {
            String owner = owner(channel);
            boolean ours = owner.equals(home.toString());
            if (onlyOurs && !ours) {
                return null;
            }
            if (channel.tryLock() == null) {
                if (ours) {
                    throw inUse(home);
                }
                return null;
            }
            if (!ours && !owner.isEmpty() && hasCells(Path.of(owner))) {
                return null;
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(home.toString().getBytes(StandardCharsets.UTF_8)), 0);
            HELD.put(file, home);
            taken = true;
            return new UidBlock(file, channel, home, FIRST_UID + block * BLOCK);
        } finally {
            if (!taken) {
                channel.close();
            }
        }
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static BoxdException inUse(Path home) {
        return new BoxdException(
                ErrorCode.WRONG_STATE,
                "another boxd runs in " + home,
                "Stop it first, or choose another home for this one.",
                null);
    }

    private static String owner(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(LONGEST_OWNER);
        int n;
        do {
            n = channel.read(bytes, bytes.position());
        } while (n > 0);
        return StandardCharsets.UTF_8.decode(bytes.flip()).toString().strip();
    }

    private static boolean hasCells(Path home) throws IOException {
        Path cells = home.resolve("cells");
        if (!Files.isDirectory(cells)) {
            return false;
        }
        try (Stream<Path> entries = Files.list(cells)) {
            return entries.findAny().isPresent();
        }
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

    /** Notes that a cell from before has this id. */
    synchronized void claim(int uid) {
        if (uid < firstUid || uid >= firstUid + BLOCK) {
            throw new BoxdException(ErrorCode.WRONG_STATE, "user id " + uid + " is not of this instance's block");
        }
        used.set(uid - firstUid);
    }

    synchronized void release(int uid) {
        used.clear(uid - firstUid);
    }

    /** Gives the block back, unless cells outlive us: then it stays in this home's name. */
    @Override
    public void close() {
        synchronized (HELD) {
            try (channel) {
                if (channel.isOpen() && !hasCells(home)) {
                    // Emptied, not deleted: another process may have just opened this very file.
                    channel.truncate(0);
                }
            } catch (IOException e) {
                throw new BoxdException(ErrorCode.INTERNAL, "cannot give back a block of user ids", e);
            } finally {
                HELD.remove(file, home);
            }
        }
    }
}
