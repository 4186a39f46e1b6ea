package io.boxd.worker;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;

/** A file system of its own in a file, whose power can be cut. */
final class SmallDisk implements AutoCloseable {
    private static final long SHUTDOWN = 0x8004587dL;
    private static final int LOSE_WHAT_IS_NOT_COMMITTED = 2;

    private final Path folder = Files.createTempDirectory("boxd-test-");
    private final Path image = folder.resolve("disk");
    private final Path mountPoint = Files.createDirectory(folder.resolve("home"));

    SmallDisk(long bytes) throws IOException {
        try (FileChannel file = FileChannel.open(image, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(1), bytes - 1);
        }
        Command.of("mke2fs", "-q", "-t", "ext4", "-m", "0", image.toString()).check(Deadline.inSeconds(60));
        mount();
    }

    Path path() {
        return mountPoint;
    }

    void mount() {
        Command.of("mount", "-o", "loop", image.toString(), mountPoint.toString())
                .check(Deadline.inSeconds(60));
    }

    /** Whoever used it may need a moment to be gone. */
    void unmount() {
        Deadline deadline = Deadline.inSeconds(30);
        while (!Command.of("umount", mountPoint.toString())
                .run(Deadline.inSeconds(60))
                .succeeded()) {
            if (deadline.passed()) {
                throw deadline.exceeded("unmounting " + mountPoint);
            }
            LockSupport.parkNanos(50_000_000);
        }
    }

    /** From now on nothing reaches the disk; what was not written out by then is lost. */
    void cutPower() {
        Linker linker = Linker.nativeLinker();
        MethodHandle open = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("open"),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
                Linker.Option.firstVariadicArg(2));
        MethodHandle ioctl = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("ioctl"),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
                Linker.Option.firstVariadicArg(2));
        MethodHandle close = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("close"), FunctionDescriptor.of(JAVA_INT, JAVA_INT));
        try (Arena arena = Arena.ofConfined()) {
            int fd = (int) open.invokeExact(arena.allocateFrom(mountPoint.toString()), 0, 0);
            MemorySegment flags = arena.allocateFrom(JAVA_INT, LOSE_WHAT_IS_NOT_COMMITTED);
            int result = (int) ioctl.invokeExact(fd, SHUTDOWN, flags);
            int closed = (int) close.invokeExact(fd);
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
        FileOwner.deleteTree(folder);
    }
}
