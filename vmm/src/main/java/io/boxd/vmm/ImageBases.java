package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.image.Image;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Bases of public images, one for each image, size and host kind, made on first use.
 *
 * <p>Their key holds everything that a saved state depends on. Instances may share the folder: a lock
 * file keeps them from making the same base twice, and a finished base appears by an atomic rename.
 */
final class ImageBases {
    private static final String UNFINISHED = "unfinished-";

    /** Raise when the files of a base or their names change. */
    private static final int FORMAT = 2;

    private final Path folder;
    private final BaseMaker maker;
    private final Prefetch prefetch = new Prefetch();
    private final Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();

    ImageBases(Path folder, BaseMaker maker) {
        this.folder = FileOwner.folder(folder);
        this.maker = maker;
    }

    /** The folder of the base, made if it is not there yet. */
    BaseFolder obtain(Image image, MachineSize size, Host host, Consumer<String> progress, Deadline deadline) {
        String key = key(image, size, host);
        Path home = folder.resolve(key);
        if (!Files.isDirectory(home)) {
            make(key, home, image, size, host, progress, deadline);
        }
        BaseFolder base = new BaseFolder(home);
        prefetch.begin(base.memory());
        return base;
    }

    private void make(
            String key,
            Path home,
            Image image,
            MachineSize size,
            Host host,
            Consumer<String> progress,
            Deadline deadline) {
        ReentrantLock threads = locks.computeIfAbsent(key, k -> new ReentrantLock());
        Path lockFile = folder.resolve(key + ".lock");
        threads.lock();
        try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock processes = channel.lock()) {
            assert processes.isValid();
            if (Files.isDirectory(home)) {
                return;
            }
            removeUnfinished(key);
            Path unfinished = FileOwner.folder(folder.resolve(UNFINISHED + key));
            try {
                BaseFolder parts = new BaseFolder(unfinished);
                maker.make(image, size, host, parts, progress, deadline);
                describe(key, image, size, host, parts);
                Files.move(unfinished, home, StandardCopyOption.ATOMIC_MOVE);
            } catch (RuntimeException e) {
                FileOwner.deleteTree(unfinished);
                throw e;
            }
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot make a base in " + folder, e);
        } finally {
            threads.unlock();
        }
    }

    private static void describe(String key, Image image, MachineSize size, Host host, BaseFolder parts)
            throws IOException {
        parts.linkImage(image);
        List<Part> all = new ArrayList<>(BaseFolder.imageParts(image));
        all.add(Part.ofSparse(parts.memory()));
        all.add(Part.of(parts.state()));
        all.add(Part.of(parts.disk()));
        String diskLayer = key.substring(0, 16);
        parts.describe(new BaseFacts(
                key,
                key,
                false,
                BaseFacts.ImageFacts.of(image),
                size,
                host.accelerator(),
                BaseFacts.BundleFacts.of(host.bundle()),
                diskLayer,
                List.of(BaseFolder.imageLayerId(image.key()), diskLayer),
                all,
                ""));
    }

    /** What a maker that was killed has left. */
    private void removeUnfinished(String key) {
        FileOwner.deleteTree(folder.resolve(UNFINISHED + key));
    }

    private static String key(Image image, MachineSize size, Host host) {
        String facts = String.join(
                "\n",
                image.key(),
                Integer.toString(size.cpus()),
                Long.toString(size.memoryBytes()),
                Long.toString(size.diskBytes()),
                host.accelerator().option(),
                host.accelerator().cpuModel(),
                host.accelerator() == Accelerator.TCG ? "tsc " + host.tscMegahertz() : host.cpuName(),
                "devices " + QemuCommand.DEVICES_VERSION,
                "format " + FORMAT,
                host.bundle().key());
        MessageDigest hash = Hashes.sha256();
        return HexFormat.of()
                .formatHex(hash.digest(facts.getBytes(StandardCharsets.UTF_8)))
                .substring(0, 32);
    }
}
