package io.boxd.vmm;

import io.boxd.linux.SparseFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Brings the memory of bases into the host's page cache before a machine needs it.
 *
 * <p>Otherwise the first machine waits for the disk at every page it touches, and with the old kind of
 * control groups all of the base is charged to it, though everybody shares it.
 */
final class Prefetch {
    private static final int CHUNK_BYTES = 1 << 20;

    private final Set<Path> done = ConcurrentHashMap.newKeySet();

    /** Begins to read the file, once for each; nobody waits for it. */
    void begin(Path memory) {
        if (done.add(memory)) {
            // Reading a file holds the carrier of a virtual thread, hence a thread of its own.
            Thread.ofPlatform().daemon().name("prefetch-" + memory).start(() -> read(memory));
        }
    }

    private static void read(Path memory) {
        ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
        try (FileChannel file = FileChannel.open(memory, StandardOpenOption.READ)) {
            for (SparseFile.Extent extent : SparseFile.dataOf(memory)) {
                long at = extent.start();
                while (at < extent.end()) {
                    chunk.clear().limit((int) Math.min(CHUNK_BYTES, extent.end() - at));
                    int n = file.read(chunk, at);
                    if (n < 0) {
                        return;
                    }
                    at += n;
                }
            }
        } catch (IOException e) {
            // Only a head start is lost; a machine that needs the page will meet the same error.
            return;
        }
    }
}
