package io.boxd.vmm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Replaces what lies at a path by a link, and the link by what was there, as fast as it can until closed;
 * then what was there is there again.
 */
final class Flipper implements AutoCloseable {
    private final Path path;
    private final Path target;
    private final Path aside;
    private final Path link;
    private final AtomicLong flips = new AtomicLong();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile boolean stopping;

    private Flipper(Path path, Path target, Path workshop) {
        this.path = path;
        this.target = target;
        this.aside = workshop.resolve("aside");
        this.link = workshop.resolve("link");
    }

    /**
     * @param path what is flipped; may be nothing
     * @param target where the link leads
     * @param workshop a folder on the same file system, for what is not in place
     */
    static Flipper start(Path path, Path target, Path workshop) {
        Flipper flipper = new Flipper(path, target, workshop);
        Thread.ofPlatform().daemon().name("flipper").start(flipper::run);
        return flipper;
    }

    long flips() {
        return flips.get();
    }

    private void run() {
        try {
            while (!stopping) {
                makeLink();
                moveIfThere(path, aside);
                moveIfThere(link, path);
                flips.incrementAndGet();
                // Not what somebody may have made there meanwhile, after removing the link.
                if (Files.isSymbolicLink(path)) {
                    moveIfThere(path, link);
                }
                moveIfThere(aside, path);
                flips.incrementAndGet();
            }
            ended.complete(null);
        } catch (IOException | RuntimeException e) {
            ended.completeExceptionally(e);
        }
    }

    /** Somebody who cleans up may have removed it. */
    private void makeLink() throws IOException {
        if (!Files.isSymbolicLink(link)) {
            Files.deleteIfExists(link);
            Files.createSymbolicLink(link, target);
        }
    }

    private static void moveIfThere(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException e) {
            // There is nothing to move, which is one of the states to flip between.
            return;
        }
    }

    @Override
    public void close() {
        stopping = true;
        try {
            ended.join();
        } catch (RuntimeException e) {
            throw new UncheckedIOException(new IOException("cannot flip " + path, e));
        }
    }
}
