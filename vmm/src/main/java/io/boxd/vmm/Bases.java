package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.guest.image.Image;
import io.boxd.linux.FileOwner;
import io.boxd.linux.PageBuffer;
import io.boxd.linux.PageRuns;
import io.boxd.linux.SparseFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The bases that this instance makes from its own machines, and the blank ones for booting. */
final class Bases {
    private final Path folder;
    private final LayerStore layers;
    private final Map<String, Base> promoted = new ConcurrentHashMap<>();

    Bases(Path folder, LayerStore layers) {
        this.folder = FileOwner.folder(folder);
        this.layers = layers;
    }

    /** A base without content: memory starts as zeros, the machine boots from these layers. */
    Base blank(Image image, MachineSize size, Host host, List<Layer> lowest) {
        Path memory = folder.resolve("blank-" + size.memoryBytes());
        try {
            if (!Files.exists(memory)) {
                Path unfinished = folder.resolve("unfinished-" + Ids.random());
                allocate(unfinished, size.memoryBytes());
                FileOwner.give(unfinished, 0, "r--r--r--");
                Files.move(unfinished, memory, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot make " + memory, e);
        }
        return new Base(
                "blank-" + Ids.random(),
                image,
                memory,
                Optional.empty(),
                size,
                host.accelerator(),
                host.bundle(),
                lowest);
    }

    /**
     * Writes base and captured pages into one new base, whose machines start with nothing of their own.
     *
     * <p>It lives until {@link #forget}.
     */
    Base promote(Capture capture) {
        String id = Ids.random();
        Path home = FileOwner.folder(folder.resolve(id));
        Base from = capture.base();
        Path memory = home.resolve("memory");
        Path state = home.resolve("state");
        try {
            allocate(memory, from.size().memoryBytes());
            copyData(from.memory(), memory);
            writePages(capture.runs(), capture.pages(), memory);
            Files.write(state, capture.deviceState());
            FileOwner.give(memory, 0, "r--r--r--");
            FileOwner.give(state, 0, "r--------");
        } catch (IOException e) {
            FileOwner.deleteTree(home);
            throw new BoxdException(ErrorCode.INTERNAL, "cannot write a new base into " + home, e);
        }
        layers.retain(capture.layers());
        Base base = new Base(
                id,
                from.image(),
                memory,
                Optional.of(state),
                from.size(),
                from.accelerator(),
                from.bundle(),
                capture.layers());
        promoted.put(id, base);
        return base;
    }

    /** Deletes a promoted base; machines that map it keep its pages. */
    void forget(Base base) {
        if (promoted.remove(base.id()) != null) {
            FileOwner.deleteTree(folder.resolve(base.id()));
            layers.release(base.layers());
        }
    }

    void forgetAll() {
        List.copyOf(promoted.values()).forEach(this::forget);
        FileOwner.deleteTree(folder);
    }

    static void allocate(Path file, long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            // One byte at the end makes the length; everything before it is a hole.
            channel.write(ByteBuffer.allocate(1), bytes - 1);
        }
    }

    private static void copyData(Path from, Path to) throws IOException {
        try (FileChannel source = FileChannel.open(from, StandardOpenOption.READ);
                FileChannel target = FileChannel.open(to, StandardOpenOption.WRITE)) {
            for (SparseFile.Extent extent : SparseFile.dataOf(from)) {
                target.position(extent.start());
                long at = extent.start();
                while (at < extent.end()) {
                    at += source.transferTo(at, extent.end() - at, target);
                }
            }
        }
    }

    private static void writePages(PageRuns runs, PageBuffer pages, Path to) throws IOException {
        try (FileChannel target = FileChannel.open(to, StandardOpenOption.WRITE)) {
            long offset = 0;
            for (int run = 0; run < runs.count(); run++) {
                long at = runs.start(run);
                long length = runs.length(run);
                while (length > 0) {
                    int part = (int) Math.min(length, 1 << 30);
                    ByteBuffer bytes = pages.bytes(offset, part);
                    while (bytes.hasRemaining()) {
                        at += target.write(bytes, at);
                    }
                    offset += part;
                    length -= part;
                }
            }
        }
    }
}
