package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.HostBlock;
import io.boxd.linux.NumberedSlots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * A block of user ids that belongs to one instance on this host, one id for each of its cells.
 *
 * <p>A block whose instance is not running stays taken while that instance's cells exist.
 */
final class UidBlock implements AutoCloseable {
    private static final int FIRST_UID = 1_800_000_000;
    private static final int BLOCK = 4096;
    private static final int BLOCKS = 4096;

    private final HostBlock block;
    private final int firstUid;
    private final NumberedSlots slots = new NumberedSlots(BLOCK);

    private UidBlock(HostBlock block) {
        this.block = block;
        this.firstUid = FIRST_UID + block.number() * BLOCK;
    }

    /** Takes the block that this home had before, or the first free one. */
    static UidBlock take(Path registry, Path home) {
        return take(registry, home, BLOCKS);
    }

    /** With fewer blocks, for tests. */
    static UidBlock take(Path registry, Path home, int blocks) {
        HostBlock.Kind kind = new HostBlock.Kind("uids", "user ids", blocks, UidBlock::hasCells);
        return new UidBlock(HostBlock.take(registry, home, kind, number -> true));
    }

    private static boolean hasCells(Path home) {
        Path cells = home.resolve("cells");
        if (!Files.isDirectory(cells)) {
            return false;
        }
        try (Stream<Path> entries = Files.list(cells)) {
            return entries.findAny().isPresent();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot look into " + cells, e);
        }
    }

    /** An id that no other cell has; goes round the block, so that one is not used again soon. */
    int acquire() {
        return firstUid
                + slots.acquire()
                        .orElseThrow(() -> new BoxdException(
                                ErrorCode.RESOURCE_EXHAUSTED, "this instance has " + BLOCK + " cells already"));
    }

    /** Notes that a cell from before has this id. */
    void claim(int uid) {
        if (!slots.acquire(uid - firstUid)) {
            throw new BoxdException(ErrorCode.WRONG_STATE, "user id " + uid + " is not this instance's to give");
        }
    }

    void release(int uid) {
        slots.release(uid - firstUid);
    }

    /** Gives the block back, unless cells outlive us: then it stays in this home's name. */
    @Override
    public void close() {
        block.close();
    }
}
