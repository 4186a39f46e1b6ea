package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.guest.image.Image;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import io.boxd.linux.FileTree;
import io.boxd.linux.PageRuns;
import io.boxd.linux.SparseFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The bases of this instance, each in a folder of its own: those of images, held by links so that
 * nobody else can take them away, blank ones for booting, and those made from machines.
 *
 * <p>A base made from a machine goes when it is forgotten and no machine runs on it any more.
 */
final class Bases {
    private static final String UNFINISHED = "unfinished-";

    private final Path folder;
    private final QemuBundles bundles;
    private final LayerStore layers;
    private final Map<String, Held> known = new HashMap<>();

    private static final class Held {
        private final Base base;
        private int users;
        private boolean wanted = true;

        Held(Base base) {
            this.base = base;
        }
    }

    Bases(Path folder, QemuBundles bundles, LayerStore layers) {
        this.folder = FileOwner.folder(folder);
        this.bundles = bundles;
        this.layers = layers;
    }

    /** The instance's own hold on the base of an image. */
    synchronized Base hold(BaseFolder cached) {
        String id = cached.path().getFileName().toString();
        Held held = known.get(id);
        if (held != null) {
            return held.base;
        }
        if (!Files.isDirectory(folder.resolve(id))) {
            publish(id, unfinished -> FileTree.link(cached.path(), unfinished.path()));
        }
        return load(id);
    }

    /** A base without content: memory starts as zeros, machines boot from the image's disk. */
    synchronized Base blank(Image image, MachineSize size, Host host) {
        String id = "blank-" + blankKey(image, size, host);
        Held held = known.get(id);
        if (held != null) {
            return held.base;
        }
        if (!Files.isDirectory(folder.resolve(id))) {
            publish(id, unfinished -> {
                allocate(unfinished.memory(), size.memoryBytes());
                FileOwner.give(unfinished.memory(), 0, "r--r--r--");
                unfinished.linkImage(image);
                unfinished.describe(new BaseFacts(
                        id,
                        id,
                        true,
                        BaseFacts.ImageFacts.of(image),
                        size,
                        host.accelerator(),
                        BaseFacts.BundleFacts.of(host.bundle()),
                        "",
                        List.of(BaseFolder.imageLayerId(image.key())),
                        BaseFolder.imageParts(image),
                        ""));
            });
        }
        return load(id);
    }

    private static String blankKey(Image image, MachineSize size, Host host) {
        String facts = String.join(
                "\n",
                image.key(),
                size.toString(),
                host.accelerator().option(),
                host.bundle().key());
        return HexFormat.of()
                .formatHex(Hashes.sha256().digest(facts.getBytes(StandardCharsets.UTF_8)))
                .substring(0, 26);
    }

    private interface Filler {
        void fill(BaseFolder unfinished) throws IOException;
    }

    private void publish(String id, Filler filler) {
        Path unfinished = folder.resolve(UNFINISHED + Ids.random());
        try {
            FileOwner.newFolder(unfinished, "rwx------");
            filler.fill(new BaseFolder(unfinished));
            Durable.publish(unfinished, folder.resolve(id));
        } catch (IOException e) {
            FileOwner.deleteTree(unfinished);
            throw Durable.failure("cannot keep a base in " + folder, e);
        }
    }

    /**
     * Writes base and pages of an instant into one new base, whose machines start with nothing of their
     * own.
     *
     * <p>It lives until {@link #forget}, but not beyond the host's next start: it is not synced.
     */
    Base promote(String id, Instant instant) {
        Path unfinished = folder.resolve(UNFINISHED + id);
        Base from = instant.base();
        PageRuns inherited = PageRuns.union(from.inherited(), instant.runs());
        BaseFolder made = new BaseFolder(unfinished);
        try {
            FileOwner.newFolder(unfinished, "rwx------");
            allocate(made.memory(), from.size().memoryBytes());
            copyData(from.memory(), made.memory());
            writePages(instant, made.memory());
            Files.write(made.state(), instant.deviceState());
            RunsFile.write(made.inherited(), inherited);
            FileOwner.give(made.memory(), 0, "r--r--r--");
            FileOwner.give(made.state(), 0, "r--------");
            made.describe(new BaseFacts(
                    id,
                    from.root().id(),
                    false,
                    BaseFacts.ImageFacts.of(from.image()),
                    from.size(),
                    from.accelerator(),
                    BaseFacts.BundleFacts.of(from.bundle()),
                    "",
                    instant.layers().stream().map(Layer::id).toList(),
                    List.of(),
                    HostFacts.bootId()));
            Files.move(unfinished, folder.resolve(id));
        } catch (IOException e) {
            FileOwner.deleteTree(unfinished);
            throw Durable.failure("cannot write a new base into " + folder, e);
        }
        synchronized (this) {
            return load(id);
        }
    }

    /** A base of this instance by its name. */
    synchronized Base find(String id) {
        Held held = known.get(id);
        return held != null ? held.base : load(id);
    }

    /** The same, or null where it is missing or cannot be read. */
    synchronized @Nullable Base findIfThere(String id) {
        try {
            return find(id);
        } catch (BoxdException e) {
            return null;
        }
    }

    /** The hashes of a root base's files. */
    List<Part> parts(Base root) {
        return folderOf(root).facts().parts();
    }

    BaseFolder folderOf(Base base) {
        return new BaseFolder(folder.resolve(base.id()));
    }

    private Base load(String id) {
        BaseFolder place = new BaseFolder(folder.resolve(id));
        BaseFacts facts = place.facts();
        Base base;
        if (facts.root().equals(id)) {
            base = place.rootBase(facts, bundles.find(facts.bundle()));
        } else {
            Base root = find(facts.root());
            base = new Base(
                    id,
                    root.image(),
                    place.memory(),
                    Optional.of(place.state()),
                    root.size(),
                    root.accelerator(),
                    root.bundle(),
                    layers.resolve(facts.layers(), root),
                    Optional.of(new Origin(root, RunsFile.read(place.inherited()))));
            layers.retain(base.layers());
        }
        known.put(id, new Held(base));
        return base;
    }

    /** A machine runs on it. */
    synchronized void retain(Base base) {
        Held held = known.get(base.id());
        if (held != null) {
            held.users++;
        }
    }

    synchronized void release(Base base) {
        Held held = known.get(base.id());
        if (held != null) {
            held.users--;
            removeIfUnused(held);
        }
    }

    /** Deletes a base that was made from a machine, as soon as no machine runs on it. */
    synchronized void forget(Base base) {
        Held held = known.get(base.id());
        if (held != null && base.origin().isPresent()) {
            held.wanted = false;
            removeIfUnused(held);
        }
    }

    synchronized void forgetAll() {
        List.copyOf(known.values()).forEach(held -> forget(held.base));
    }

    private void removeIfUnused(Held held) {
        if (!held.wanted && held.users == 0) {
            known.remove(held.base.id());
            FileOwner.deleteTree(folder.resolve(held.base.id()));
            layers.release(held.base.layers());
        }
    }

    /** The QEMUs that the bases of this instance need; nothing if one of them does not tell. */
    synchronized Optional<Set<String>> bundleKeys() {
        try (Stream<Path> entries = Files.list(folder)) {
            return Optional.of(
                    entries.map(entry -> new BaseFolder(entry).facts().bundle().key())
                            .collect(Collectors.toSet()));
        } catch (BoxdException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot look into " + folder, e);
        }
    }

    /** Deletes what no row refers to, and what was not made to outlast a start of the host. */
    synchronized void sweep(Set<String> referenced, Predicate<String> evictableStillWanted) {
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path entry : entries.toList()) {
                String id = entry.getFileName().toString();
                boolean keep = referenced.contains(id) || (evictableStillWanted.test(id) && ofThisBoot(entry));
                if (!keep && !known.containsKey(id)) {
                    FileOwner.deleteTree(entry);
                }
            }
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot look into " + folder, e);
        }
    }

    private static boolean ofThisBoot(Path entry) {
        try {
            return new BaseFolder(entry).facts().bootId().equals(HostFacts.bootId());
        } catch (BoxdException e) {
            return false;
        }
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

    private static void writePages(Instant instant, Path to) throws IOException {
        PageRuns runs = instant.runs();
        try (FileChannel target = FileChannel.open(to, StandardOpenOption.WRITE)) {
            long offset = 0;
            for (int run = 0; run < runs.count(); run++) {
                long at = runs.start(run);
                long length = runs.length(run);
                while (length > 0) {
                    int part = (int) Math.min(length, 1 << 30);
                    ByteBuffer bytes = instant.pages().bytes(offset, part);
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
