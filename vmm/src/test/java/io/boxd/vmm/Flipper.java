package io.boxd.vmm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
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
    private final Path aside;
    private final Path link;
    private final AtomicLong flips = new AtomicLong();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile boolean stopping;

    private Flipper(Path path, Path aside, Path link) {
        this.path = path;
        this.aside = aside;
        this.link = link;
    }

    /**
     * @param path what is flipped; may be nothing
     * @param aside where it lies while the link is in its place
     */
    static Flipper start(Path path, Path aside, Path link) {
        Flipper flipper = new Flipper(path, aside, link);
        Thread.ofPlatform().daemon().name("flipper").start(flipper::run);
        return flipper;
    }

    long flips() {
        return flips.get();
    }

    private void run() {
        try {
            while (!stopping) {
                moveIfThere(path, aside);
                moveIfThere(link, path);
                flips.incrementAndGet();
                moveIfThere(path, link);
                moveIfThere(aside, path);
                flips.incrementAndGet();
            }
            ended.complete(null);
        } catch (IOException | RuntimeException e) {
            ended.completeExceptionally(e);
        }
    }

    private static void moveIfThere(Path from, Path to) throws IOException {
        if (Files.exists(from, LinkOption.NOFOLLOW_LINKS)) {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
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
