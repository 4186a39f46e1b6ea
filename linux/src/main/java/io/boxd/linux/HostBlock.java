package io.boxd.linux;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One of a host's numbered blocks of something scarce (user ids, addresses), held by one instance.
 *
 * <p>Taken under a lock in a folder that all instances share, so two of them never hold the same one,
 * and two servers never run in one home. A block whose instance is not running stays taken while that
 * instance still uses what is in it.
 */
public final class HostBlock implements AutoCloseable {
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
    private final Kind kind;
    private final int number;

    /**
     * A sort of block.
     *
     * @param name of its files in the registry
     * @param what it is, in the plural, for messages
     * @param blocks how many there are
     * @param inUse whether the instance of a home still uses its block though no server runs in it
     */
    public record Kind(String name, String what, int blocks, Predicate<Path> inUse) {}

    private HostBlock(Path file, FileChannel channel, Path home, Kind kind, int number) {
        this.file = file;
        this.channel = channel;
        this.home = home;
        this.kind = kind;
        this.number = number;
    }

    /** Takes the block that this home had before, or the first one that is free and fit. */
    public static HostBlock take(Path registry, Path home, Kind kind, IntPredicate fit) {
        Path owner = home.toAbsolutePath().normalize();
        @Nullable
        HostBlock taken = underLock(registry, folder -> {
            for (boolean onlyOurs : new boolean[] {true, false}) {
                for (int number = 0; number < kind.blocks(); number++) {
                    if (!onlyOurs && !fit.test(number)) {
                        continue;
                    }
                    HostBlock block = tryTake(folder, owner, kind, number, onlyOurs);
                    if (block != null) {
                        return block;
                    }
                }
            }
            return null;
        });
        if (taken == null) {
            throw new BoxdException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "every block of " + kind.what() + " is taken",
                    "Remove files of instances that no longer exist from " + registry + ".",
                    null);
        }
        return taken;
    }

    /** Something to do while no instance takes or gives back a block. */
    @FunctionalInterface
    public interface RegistryWork<T extends @Nullable Object> {
        T in(Path folder) throws IOException;
    }

    /** Does the work while no instance on this host takes or gives back a block; it must be short. */
    public static <T extends @Nullable Object> T underLock(Path registry, RegistryWork<T> work) {
        Path shared = FileOwner.folder(registry).toAbsolutePath().normalize();
        synchronized (HELD) {
            try (FileChannel channel = open(shared.resolve("lock"));
                    FileLock lock = channel.lock()) {
                assert lock.isValid();
                return work.in(shared);
            } catch (IOException e) {
                throw new BoxdException(ErrorCode.INTERNAL, "cannot use the registry " + registry, e);
            }
        }
    }

    private static @Nullable HostBlock tryTake(Path folder, Path home, Kind kind, int number, boolean onlyOurs)
            throws IOException {
        Path file = folder.resolve(kind.name() + "-" + number);
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
            if (!ours && !owner.isEmpty() && kind.inUse().test(Path.of(owner))) {
                return null;
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(home.toString().getBytes(StandardCharsets.UTF_8)), 0);
            HELD.put(file, home);
            taken = true;
            return new HostBlock(file, channel, home, kind, number);
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

    public int number() {
        return number;
    }

    /** Gives the block back, unless what is in it outlives us: then it stays in this home's name. */
    @Override
    public void close() {
        synchronized (HELD) {
            try (channel) {
                if (channel.isOpen() && !kind.inUse().test(home)) {
                    // Emptied, not deleted: another process may have just opened this very file.
                    channel.truncate(0);
                }
            } catch (IOException e) {
                throw new BoxdException(ErrorCode.INTERNAL, "cannot give back a block of " + kind.what(), e);
            } finally {
                HELD.remove(file, home);
            }
        }
    }
}
