package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.linux.PageBuffer;
import io.boxd.linux.PageRuns;
import io.boxd.linux.ProcessMemory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Takes one instant of a running machine, keeping it still for as short as possible.
 *
 * <p>Ahead of the pause: data written out, next disk layer opened, buffer populated. In the pause:
 * stop, save devices, freeze the disk, and meanwhile find and copy the pages that are its own.
 */
final class Captures {
    /** The machine goes on dirtying pages between the first look and the stop. */
    private static final long HEADROOM_BYTES = 16L << 20;

    private final PageBuffers buffers;
    private final MemoryCopier copier;
    private final LayerStore layers;

    Captures(PageBuffers buffers, MemoryCopier copier, LayerStore layers) {
        this.buffers = buffers;
        this.copier = copier;
        this.layers = layers;
    }

    /** What the pause produced. */
    private static final class Taken {
        private PageRuns runs = new PageRuns.Builder().build();
        private PageBuffer pages;

        Taken(PageBuffer pages) {
            this.pages = pages;
        }
    }

    Capture take(Machine source, Deadline deadline) {
        Cell cell = source.cell();
        ProcessMemory memory = cell.memory();
        long estimate = copier.ownPages(memory).bytes();
        Taken taken = new Taken(buffers.take(estimate + estimate / 8 + HEADROOM_BYTES));
        try {
            return source.exclusively(() -> {
                cell.folder().clearSavedState();
                source.disk().prepareFreeze(deadline);
                Duration pause = source.whileStopped(
                        () -> {
                            CompletableFuture<JsonNode> saving = saveDevices(cell);
                            takePages(memory, taken);
                            awaitSaved(cell, saving, deadline);
                            source.disk().freeze(deadline);
                        },
                        deadline);
                source.disk().finishFreeze();
                return new Capture(
                        source.base(),
                        taken.runs,
                        taken.pages,
                        cell.folder().savedState(),
                        source.disk().layers(),
                        pause,
                        buffers,
                        layers);
            });
        } catch (RuntimeException e) {
            buffers.giveBack(taken.pages);
            throw e;
        }
    }

    private static void awaitSaved(Cell cell, CompletableFuture<JsonNode> saving, Deadline deadline) {
        try {
            cell.qmp().await(saving, "saving the machine's devices", deadline);
        } catch (BoxdException e) {
            throw cell.folder().notSaved(e);
        }
    }

    private void takePages(ProcessMemory memory, Taken taken) {
        taken.runs = copier.ownPages(memory);
        if (taken.runs.bytes() > taken.pages.size()) {
            // It dirtied more than expected meanwhile: slow, but right.
            PageBuffer larger = buffers.take(taken.runs.bytes());
            buffers.giveBack(taken.pages);
            taken.pages = larger;
        }
        copier.read(memory, taken.runs, taken.pages);
    }

    /** With {@code live} on, QEMU would also let go of the disks of a stopped machine. */
    private static CompletableFuture<JsonNode> saveDevices(Cell cell) {
        ObjectNode arguments = Json.object();
        arguments.put("filename", QemuCommand.SAVED_FILE);
        arguments.put("live", false);
        return cell.qmp().submit("xen-save-devices-state", arguments);
    }
}
