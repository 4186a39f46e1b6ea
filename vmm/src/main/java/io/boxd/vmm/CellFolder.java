package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import io.boxd.linux.FreeSpace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The files of one cell.
 *
 * <p>Every folder belongs to root and is closed to others; the cell's user owns single files in
 * {@code disk}, can make none, and so can plant nothing for us to follow.
 */
record CellFolder(Path path, int uid) {
    /** A saved device state is some tens of kilobytes; more than this is not one. */
    private static final long MAX_DEVICE_STATE_BYTES = 32L << 20;

    /** More than the state of any device set that is saved. */
    private static final long LITTLE_BYTES = 1L << 20;

    private static final String TOP_PREFIX = "top-";
    private static final String GATHERING_PREFIX = "gathering-";
    private static final String TOP_SUFFIX = ".qcow2";
    private static final String STANDBY = "standby";

    static CellFolder create(Path path, int uid) {
        FileOwner.newFolder(path, "rwx------");
        FileOwner.newFolder(path.resolve("disk"), "rwxr-xr-x");
        return new CellFolder(path, uid);
    }

    Path disk() {
        return path.resolve("disk");
    }

    Path qmpSocket() {
        return path.resolve("qmp.sock");
    }

    Path agentSocket() {
        return path.resolve("agent.sock");
    }

    Path consoleSocket() {
        return path.resolve("console.sock");
    }

    Path log() {
        return path.resolve("log");
    }

    Path consoleLog() {
        return path.resolve("console.log");
    }

    /**
     * A new empty layer that the cell may write.
     *
     * <p>Its name tells its place among the tops that the cell has had, so that the chain can be put
     * together again from the folder alone.
     */
    TopLayer newTop(String id, long diskBytes) {
        int order = tops().stream().mapToInt(CellFolder::order).max().orElse(0) + 1;
        Path file = disk().resolve("%s%06d-%s%s".formatted(TOP_PREFIX, order, id, TOP_SUFFIX));
        Qcow2Overlay.create(file, diskBytes);
        FileOwner.give(file, uid, "rw-------");
        makeDurable(file);
        return new TopLayer(id, file);
    }

    /**
     * A file into which QEMU gathers what layers hold. It is no top: until all is in it and synced, a disk is put
     * together without it.
     */
    TopLayer newGathering(String id, long diskBytes) {
        Path file = disk().resolve(GATHERING_PREFIX + id + TOP_SUFFIX);
        Qcow2Overlay.create(file, diskBytes);
        FileOwner.give(file, uid, "rw-------");
        return new TopLayer(id, file);
    }

    /** Files of gatherings that were begun. */
    List<Path> gatherings() {
        return files(GATHERING_PREFIX);
    }

    private List<Path> files(String prefix) {
        try (Stream<Path> files = Files.list(disk())) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot look into " + disk(), e);
        }
    }

    /**
     * A machine's disk must be one after a power cut, even if the guest has not flushed anything yet.
     *
     * <p>After the first, the syncs of the folders find nothing left to do.
     */
    private void makeDurable(Path top) {
        try {
            Durable.sync(top);
            Durable.syncFolder(disk());
            Durable.syncFolder(path);
            Durable.syncFolder(Objects.requireNonNull(path.getParent()));
        } catch (IOException e) {
            throw Durable.failure("cannot keep disk layer " + top, e);
        }
    }

    private static int order(TopLayer top) {
        String name = top.file().getFileName().toString();
        return Integer.parseInt(name.substring(TOP_PREFIX.length(), name.lastIndexOf('-')));
    }

    /** All tops that the cell has had, in their order; those before the present one are frozen. */
    List<TopLayer> tops() {
        return files(TOP_PREFIX).stream()
                .map(file -> {
                    String name = file.getFileName().toString();
                    return new TopLayer(
                            name.substring(name.lastIndexOf('-') + 1, name.length() - TOP_SUFFIX.length()), file);
                })
                .toList();
    }

    /** Whether the machine was put in standby, as against stopped for a moment to be copied. */
    boolean isMarkedStandby() {
        return Files.exists(path.resolve(STANDBY));
    }

    void markStandby(boolean standby) {
        try {
            if (standby) {
                Files.write(path.resolve(STANDBY), new byte[0]);
            } else {
                Files.deleteIfExists(path.resolve(STANDBY));
            }
        } catch (IOException e) {
            throw Durable.failure("cannot note a machine's standby", e);
        }
    }

    /** Takes over the writable top of a cell that has ended. */
    TopLayer adopt(TopLayer top) {
        Path file = disk().resolve(top.file().getFileName());
        try {
            Files.createLink(file, top.file());
        } catch (IOException e) {
            throw Durable.failure("cannot take over disk layer " + top.file(), e);
        }
        FileOwner.give(file, uid, "rw-------");
        makeDurable(file);
        return new TopLayer(top.id(), file);
    }

    /** Lets the cell read a frozen layer; the file stays root's and is writable by nobody. */
    void grant(Layer layer) {
        try {
            Files.createLink(disk().resolve(layer.id()), layer.file());
        } catch (IOException e) {
            throw Durable.failure("cannot link disk layer " + layer.file(), e);
        }
    }

    /** Empties the file that QEMU appends a device state to. */
    void clearSavedState() {
        try (FileChannel file = FileChannel.open(path.resolve("saved"), StandardOpenOption.WRITE)) {
            file.truncate(0);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot empty " + path.resolve("saved"), e);
        }
    }

    /** Why a device state could not be saved: QEMU does not tell a full disk from a broken one. */
    BoxdException notSaved(BoxdException told) {
        return FreeSpace.of(path).bytes() < LITTLE_BYTES ? Durable.full(String.valueOf(told.getMessage()), told) : told;
    }

    byte[] savedState() {
        Path saved = path.resolve("saved");
        try {
            long size = Files.size(saved);
            if (size == 0 || size > MAX_DEVICE_STATE_BYTES) {
                throw new BoxdException(ErrorCode.INTERNAL, "QEMU saved a device state of " + size + " bytes");
            }
            return Files.readAllBytes(saved);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot read " + saved, e);
        }
    }

    /** Puts a device state where QEMU will load it from. */
    void putIncomingState(byte[] state) {
        try (FileChannel file = FileChannel.open(path.resolve("incoming"), StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(state);
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
        } catch (IOException e) {
            throw Durable.failure("cannot write " + path.resolve("incoming"), e);
        }
    }
}
