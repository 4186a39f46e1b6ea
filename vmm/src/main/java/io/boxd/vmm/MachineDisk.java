package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The disk of one machine: frozen layers, lowest first, and the top that it writes.
 *
 * <p>Used under the machine's lock.
 */
final class MachineDisk {
    private static final long NEVER_EMPTY = -1;

    /** Slow enough for everybody else not to notice. */
    private static final long FLATTENING_BYTES_PER_SECOND = 64L << 20;

    private final Cell cell;
    private final LayerStore store;
    private final long diskBytes;
    private final List<Layer> layers;
    private TopLayer top;
    private @Nullable TopLayer prepared;
    private @Nullable Flattening flattening;
    /** A former top that QEMU no longer writes and that is not yet a layer. */
    private @Nullable TopLayer retired;
    /** Former tops that are layers now, and still have a name in the cell's folder. */
    private final List<TopLayer> frozen = new ArrayList<>();
    /** Files of flattenings that came to nothing; QEMU may still have them open below the top. */
    private final List<Path> abandoned = new ArrayList<>();

    /** QEMU's count of writes when the top was last known to be empty. */
    private long writesWhenEmpty;

    private MachineDisk(
            Cell cell, LayerStore store, long diskBytes, List<Layer> layers, TopLayer top, long writesWhenEmpty) {
        this.cell = cell;
        this.store = store;
        this.diskBytes = diskBytes;
        this.layers = new ArrayList<>(layers);
        this.top = top;
        this.writesWhenEmpty = writesWhenEmpty;
        store.retain(layers);
    }

    /** A disk whose top nobody has written to. */
    static MachineDisk withEmptyTop(Cell cell, LayerStore store, long diskBytes, List<Layer> layers, TopLayer top) {
        return new MachineDisk(cell, store, diskBytes, layers, top, 0);
    }

    /** A disk whose top holds data from an earlier life of the machine. */
    static MachineDisk withUsedTop(Cell cell, LayerStore store, long diskBytes, List<Layer> layers, TopLayer top) {
        return new MachineDisk(cell, store, diskBytes, layers, top, NEVER_EMPTY);
    }

    /**
     * The disk of a machine that an earlier server started.
     *
     * @param listed the layers as they were last written down; some may have been frozen since
     */
    static MachineDisk adopted(Cell cell, LayerStore store, long diskBytes, List<Layer> listed, Deadline deadline) {
        stopJobs(cell, deadline);
        List<TopLayer> tops = cell.folder().tops();
        String active = activeNode(cell, deadline);
        int present = IntStream.range(0, tops.size())
                .filter(i -> tops.get(i).nodeName().equals(active))
                .findFirst()
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.WRONG_STATE, "the machine writes a disk layer that is not its own"));
        MachineDisk disk = withUsedTop(cell, store, diskBytes, listed, tops.get(present));
        disk.addFrozen(tops.subList(0, present));
        disk.abandoned.addAll(cell.folder().gatherings());
        for (TopLayer unused : tops.subList(present + 1, tops.size())) {
            disk.discard(unused, deadline);
        }
        return disk;
    }

    /** A flattening that an earlier server began would keep the machine from being copied until it ends. */
    private static void stopJobs(Cell cell, Deadline deadline) {
        for (JsonNode job : cell.qmp().execute("query-block-jobs", deadline)) {
            Job left = new Job(job.path("device").asString(""), new CompletableFuture<>());
            Consumer<QmpEvent> listener = left::note;
            cell.listen(listener);
            try {
                if (left.cancel(cell, deadline)) {
                    cell.qmp().await(left.ended(), "stopping the flattening of a disk", deadline);
                }
            } finally {
                cell.unlisten(listener);
            }
        }
    }

    /** What was frozen and not yet written down when the server ended. */
    private void addFrozen(List<TopLayer> tops) {
        for (TopLayer top : tops) {
            if (layers.stream().noneMatch(layer -> layer.id().equals(top.id()))) {
                layers.add(store.freeze(top));
            }
            frozen.add(top);
        }
    }

    /** A next top that was opened ahead and never used. */
    private void discard(TopLayer unused, Deadline deadline) {
        try {
            ObjectNode arguments = Json.object();
            arguments.put("node-name", unused.nodeName());
            cell.qmp().execute("blockdev-del", arguments, deadline);
        } catch (BoxdException e) {
            // It may not have got as far as being opened.
            assert e.code() == ErrorCode.INTERNAL;
        }
        FileOwner.deleteTree(unused.file());
    }

    private static String activeNode(Cell cell, Deadline deadline) {
        for (JsonNode device : cell.qmp().execute("query-block", deadline)) {
            if (device.path("qdev").asString("").contains("disk")) {
                return device.path("inserted").path("node-name").asString("");
            }
        }
        throw new BoxdException(ErrorCode.WRONG_STATE, "QEMU does not tell about the machine's disk");
    }

    /** These layers have been written down: the cell needs no names for them any more. */
    void recorded(List<String> ids) {
        for (TopLayer top : List.copyOf(frozen)) {
            if (ids.contains(top.id())) {
                FileOwner.deleteTree(top.file());
                frozen.remove(top);
            }
        }
    }

    List<Layer> layers() {
        return List.copyOf(layers);
    }

    TopLayer top() {
        return top;
    }

    /**
     * Does ahead of a freeze what need not be done while the machine stands still: writes its data out
     * (the flush at the stop would take as long) and opens the next top.
     */
    void prepareFreeze(Deadline deadline) {
        giveWay(deadline);
        finishFreeze();
        // Opened for reading, which is enough: whoever has it open for writing keeps it from being frozen.
        try (FileChannel file = FileChannel.open(top.file(), StandardOpenOption.READ)) {
            file.force(false);
        } catch (IOException e) {
            throw Durable.failure("cannot write out " + top.file(), e);
        }
        if (prepared == null && writes(deadline) != writesWhenEmpty) {
            openNextTop(deadline);
        }
    }

    private TopLayer openNextTop(Deadline deadline) {
        TopLayer next = cell.folder().newTop(Ids.random(), diskBytes);
        cell.qmp().execute("blockdev-add", DiskNodes.top(next, DiskNodes.nothing()), deadline);
        prepared = next;
        return next;
    }

    /** With the machine stopped: from now on it writes elsewhere, unless it has written nothing. */
    void freeze(Deadline deadline) {
        long writes = writes(deadline);
        if (writes == writesWhenEmpty) {
            return;
        }
        TopLayer next = prepared != null ? prepared : openNextTop(deadline);
        ObjectNode arguments = Json.object();
        arguments.put("node", top.nodeName());
        arguments.put("overlay", next.nodeName());
        cell.qmp().execute("blockdev-snapshot", arguments, deadline);
        retired = top;
        top = next;
        prepared = null;
        writesWhenEmpty = writes;
    }

    /** With the machine going on: what it wrote up to the freeze becomes a layer. */
    void finishFreeze() {
        TopLayer written = retired;
        if (written != null) {
            layers.add(store.freeze(written));
            frozen.add(written);
            retired = null;
        }
    }

    /**
     * Has QEMU gather what all layers above the first ones hold in a new one.
     *
     * <p>The new one lies between the layers and a new top, so that nobody but QEMU's copying writes it: in one whose
     * clusters a guest has written in part, QEMU 7.2 stumbles over its own copies and aborts. And while it
     * is not whole and synced, a disk can be put together without it.
     *
     * @param keep how many of the lowest layers stay below it
     * @return whether it was finished, told when it ends; null if there is nothing to do
     */
    @Nullable
    CompletableFuture<Boolean> beginFlattening(int keep, Deadline deadline) {
        finishFreeze();
        if (flattening != null || layers.size() <= keep) {
            return null;
        }
        TopLayer gathering = cell.folder().newGathering(Ids.random(), diskBytes);
        abandoned.add(gathering.file());
        putBetween(gathering, deadline);
        Job job = new Job("flatten-" + Ids.random(), new CompletableFuture<>());
        Consumer<QmpEvent> listener = job::note;
        cell.listen(listener);
        cell.onEnd(() -> job.ended.complete(false));
        var _ = job.ended.thenRun(() -> cell.unlisten(listener));
        ObjectNode arguments = Json.object();
        arguments.put("job-id", job.id);
        arguments.put("device", gathering.nodeName());
        arguments.put("base-node", layers.get(keep - 1).nodeName());
        arguments.put("speed", FLATTENING_BYTES_PER_SECOND);
        try {
            cell.qmp().execute("block-stream", arguments, deadline);
        } catch (RuntimeException e) {
            job.ended.complete(false);
            throw e;
        }
        flattening = new Flattening(job, gathering, layers.size());
        return job.ended;
    }

    /** Freezes the top and lays an empty layer and a new top over it, in one step: nothing is written in between. */
    private void putBetween(TopLayer gathering, Deadline deadline) {
        cell.qmp().execute("blockdev-add", DiskNodes.top(gathering, DiskNodes.nothing()), deadline);
        TopLayer next = prepared != null ? prepared : openNextTop(deadline);
        // What is written from here on may still go to the old top; then the new one only looks used.
        long writes = writes(deadline);
        ObjectNode arguments = Json.object();
        ArrayNode actions = arguments.putArray("actions");
        actions.add(overlaying(top, gathering));
        actions.add(overlaying(gathering, next));
        cell.qmp().execute("transaction", arguments, deadline);
        retired = top;
        top = next;
        prepared = null;
        writesWhenEmpty = writes;
        finishFreeze();
    }

    private static ObjectNode overlaying(TopLayer below, TopLayer above) {
        ObjectNode action = Json.object();
        action.put("type", "blockdev-snapshot");
        ObjectNode data = action.putObject("data");
        data.put("node", below.nodeName());
        data.put("overlay", above.nodeName());
        return action;
    }

    /**
     * A flattening that is under way, or has ended and was not looked at yet.
     *
     * @param layersBefore how many layers lie below what it writes
     */
    private record Flattening(Job job, TopLayer gathering, int layersBefore) {}

    private record Job(String id, CompletableFuture<Boolean> ended) {
        /** Whether there was still something to stop; its end is told later. */
        boolean cancel(Cell cell, Deadline deadline) {
            ObjectNode arguments = Json.object();
            arguments.put("device", id);
            try {
                cell.qmp().execute("block-job-cancel", arguments, deadline);
                return true;
            } catch (BoxdException e) {
                // It has just ended by itself.
                return false;
            }
        }

        void note(QmpEvent event) {
            if (event.data().path("device").asString("").equals(id)) {
                switch (event.name()) {
                    case "BLOCK_JOB_COMPLETED" -> ended.complete(!event.data().has("error"));
                    case "BLOCK_JOB_CANCELLED" -> ended.complete(false);
                    default -> {
                        // On its way.
                    }
                }
            }
        }
    }

    /** Stops a flattening that is under way; it will be begun anew. */
    private void giveWay(Deadline deadline) {
        Flattening running = flattening;
        if (running == null) {
            return;
        }
        if (!running.job.ended.isDone()) {
            // Whatever the answer, its end is told, or was.
            running.job.cancel(cell, deadline);
        }
        if (!cell.qmp().await(running.job.ended, "stopping the flattening of a disk", deadline)) {
            flattening = null;
        }
    }

    /** Makes what was gathered last; not under the lock, since that takes as long as the disk needs. */
    void syncGathered() {
        Flattening finished = flattening;
        if (finished != null) {
            try {
                Durable.sync(finished.gathering.file());
            } catch (IOException e) {
                throw Durable.failure("cannot write out " + finished.gathering.file(), e);
            }
        }
    }

    /**
     * What was gathered takes the place of the layers that it was gathered from.
     *
     * @return those that this disk no longer needs, still held
     */
    List<Layer> finishFlattening(int keep) {
        Flattening finished = flattening;
        if (finished == null) {
            return List.of();
        }
        flattening = null;
        List<Layer> copied = layers.subList(keep, finished.layersBefore);
        List<Layer> dropped = List.copyOf(copied);
        Layer whole = store.freeze(finished.gathering);
        copied.clear();
        layers.add(keep, whole);
        frozen.add(finished.gathering);
        abandoned.remove(finished.gathering.file());
        abandoned.forEach(FileOwner::deleteTree);
        abandoned.clear();
        return dropped;
    }

    /** Once the record does not have them either. */
    void releaseDropped(List<Layer> dropped) {
        store.release(dropped);
    }

    private long writes(Deadline deadline) {
        JsonNode devices = cell.qmp().execute("query-blockstats", deadline);
        for (JsonNode device : devices) {
            if (device.path("qdev").asString("").contains("disk")) {
                JsonNode stats = device.path("stats");
                return stats.path("wr_operations").asLong()
                        + stats.path("unmap_operations").asLong();
            }
        }
        throw new BoxdException(ErrorCode.INTERNAL, "QEMU does not tell about the machine's disk");
    }

    void release() {
        store.release(layers);
    }
}
