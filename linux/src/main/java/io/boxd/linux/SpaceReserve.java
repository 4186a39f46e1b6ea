package io.boxd.linux;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/** A file that only takes up space, so that there is some to give up when the disk is full. */
public final class SpaceReserve {
    private static final int CHUNK_BYTES = 1 << 20;
    private static final int CHUNKS = 8;
    private static final long BYTES = (long) CHUNKS * CHUNK_BYTES;

    private final Path file;

    public SpaceReserve(Path file) {
        this.file = file.toAbsolutePath();
    }

    /** Takes up the space again, if it is not taken and the disk is not about to be full. */
    public void fill() {
        if (Files.exists(file)
                || FreeSpace.of(Objects.requireNonNull(file.getParent())).bytes() < 4 * BYTES) {
            return;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
            for (int i = 0; i < CHUNKS; i++) {
                channel.write(chunk.rewind());
            }
        } catch (IOException e) {
            // Somebody else took the space: then there is nothing to reserve.
            giveUp();
        }
    }

    /** Frees the space; false when there is none to free. */
    public boolean giveUp() {
        boolean had = Files.exists(file);
        FileOwner.deleteTree(file);
        return had;
    }
}
