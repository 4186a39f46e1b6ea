package io.boxd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A file system of its own in a file, which can be filled up and whose power can be cut. */
public final class SmallDisk implements AutoCloseable {
    private static final MethodHandle OPEN = Native.bindVariadic("open", 2, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    private static final MethodHandle IOCTL = Native.bindVariadic("ioctl", 2, JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS);
    private static final MethodHandle CLOSE = Native.bind("close", JAVA_INT, JAVA_INT);
    private static final long SHUTDOWN = 0x8004587dL;

    /** What is left to be written byte by byte when a disk is filled. */
    private static final long ROUGHLY_BYTES = 8L << 20;

    private static final int LOSE_WHAT_IS_NOT_COMMITTED = 2;

    private final Path folder = Files.createTempDirectory("boxd-test-");
    private final Path image = folder.resolve("disk");
    private final Path mountPoint = Files.createDirectory(folder.resolve("home"));

    /** As many files as usual fit on it. */
    public SmallDisk(long bytes) throws IOException {
        this(bytes, List.of());
    }

    /** @param inodes how many files fit on it */
    public SmallDisk(long bytes, int inodes) throws IOException {
        this(bytes, List.of("-N", Integer.toString(inodes)));
    }

    private SmallDisk(long bytes, List<String> options) throws IOException {
        try (FileChannel file = FileChannel.open(image, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(1), bytes - 1);
        }
        // Nothing reserved for root: full shall be full.
        List<String> command = new ArrayList<>(List.of("mke2fs", "-q", "-t", "ext4", "-m", "0"));
        command.addAll(options);
        command.add(image.toString());
        Command.of(command).check(Deadline.inSeconds(60));
        share();
        mount();
    }

    /**
     * What is mounted and unmounted below the folder happens for all who have copied this host's mounts meanwhile:
     * otherwise any process of another test in a mount namespace of its own would keep the disk in use.
     */
    private void share() {
        String path = folder.toString();
        Command.of("mount", "--bind", path, path).check(Deadline.inSeconds(60));
        Command.of("mount", "--make-shared", path).check(Deadline.inSeconds(60));
    }

    public Path path() {
        return mountPoint;
    }

    public void mount() {
        Command.of("mount", "-o", "loop", image.toString(), mountPoint.toString())
                .check(Deadline.inSeconds(60));
    }

    /** Whoever used it may need a moment to be gone. */
    public void unmount() {
        Deadline deadline = Deadline.inSeconds(30);
        await(
                deadline,
                () -> Command.of("umount", mountPoint.toString())
                        .run(Deadline.inSeconds(60))
                        .succeeded());
        // A process that begins or ends in a mount namespace of its own keeps it for a moment, and with it the power
        // cut.
        await(
                deadline,
                () -> Command.of("losetup", "--noheadings", "--associated", image.toString())
                        .run(Deadline.inSeconds(60))
                        .output()
                        .isBlank());
    }

    private void await(Deadline deadline, BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (deadline.passed()) {
                throw deadline.exceeded("unmounting " + mountPoint);
            }
            LockSupport.parkNanos(50_000_000);
        }
    }

    /** Writes a file that leaves so much space; deleting it gives the rest back. */
    public Path fill(long leaveBytes) throws IOException {
        Path filler = mountPoint.resolve("filler");
        long most = FreeSpace.of(mountPoint).bytes() - leaveBytes - ROUGHLY_BYTES;
        if (most > 0) {
            Command.of("fallocate", "-l", Long.toString(most), filler.toString())
                    .check(Deadline.inSeconds(60));
        }
        try (FileChannel file = FileChannel.open(filler, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            ByteBuffer chunk = ByteBuffer.allocate(1 << 20);
            long left = FreeSpace.of(mountPoint).bytes() - leaveBytes;
            while (left > 0) {
                chunk.clear().limit((int) Math.min(chunk.capacity(), left));
                try {
                    left -= file.write(chunk);
                } catch (IOException e) {
                    break;
                }
            }
        }
        return filler;
    }

    /** Makes empty files until so many more fit; deleting their folder gives all back. */
    public Path fillInodes(long leave) throws IOException {
        Path fillers = Files.createDirectory(mountPoint.resolve("fillers"));
        for (long left = FreeSpace.of(mountPoint).inodes(); left > leave; left--) {
            Files.createFile(fillers.resolve(Long.toString(left)));
        }
        return fillers;
    }

    /** From now on nothing reaches the disk; what was not written out by then is lost. */
    public void cutPower() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment captured = Native.newErrno(arena);
            int fd = (int) OPEN.invokeExact(captured, arena.allocateFrom(mountPoint.toString()), 0, 0);
            MemorySegment flags = arena.allocateFrom(JAVA_INT, LOSE_WHAT_IS_NOT_COMMITTED);
            int result = (int) IOCTL.invokeExact(captured, fd, SHUTDOWN, flags);
            int closed = (int) CLOSE.invokeExact(captured, fd);
            if (result != 0 || closed != 0) {
                throw new IllegalStateException("this kernel cannot cut the power of a file system");
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        unmount();
        Command.of("umount", folder.toString()).check(Deadline.inSeconds(60));
        FileOwner.deleteTree(folder);
    }
}
