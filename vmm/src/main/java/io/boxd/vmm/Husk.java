package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.linux.PageBuffer;
import io.boxd.linux.PageRuns;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A cell whose QEMU waits, on a base, for the state of a machine. */
record Husk(Base base, Cell cell, TopLayer top) implements AutoCloseable {
    /** Asks QEMU to tell about the loading instead of being asked. */
    void prepare(Deadline deadline) {
        ObjectNode arguments = Json.object();
        ObjectNode capability = arguments.putArray("capabilities").addObject();
        capability.put("capability", "events");
        capability.put("state", true);
        cell.qmp().execute("migrate-set-capabilities", arguments, deadline);
    }

    boolean usable() {
        return !cell.ended().isDone() && cell.process().alive();
    }

    /** Puts other layers below the top; the lowest must be the base's. */
    void retarget(List<Layer> layers, Deadline deadline) {
        int common = Layer.common(base.layers(), layers);
        if (common == 0) {
            throw new BoxdException(ErrorCode.WRONG_STATE, "the disk belongs to another base");
        }
        List<Layer> more = layers.subList(common, layers.size());
        if (more.isEmpty() && common == base.layers().size()) {
            return;
        }
        if (!more.isEmpty()) {
            more.forEach(cell.folder()::grant);
            JsonNode chain = DiskNodes.chain(
                    DiskNodes.known(base.layers().get(common - 1).nodeName()),
                    more,
                    layer -> Jail.DISK + "/" + layer.id());
            cell.qmp().execute("blockdev-add", (ObjectNode) chain, deadline);
        }
        ObjectNode arguments = Json.object();
        arguments
                .putArray("options")
                .add(DiskNodes.retargeted(top, layers.getLast().nodeName()));
        cell.qmp().execute("blockdev-reopen", arguments, deadline);
    }

    /** Must come before {@link #load}: devices look into guest memory when their state is loaded. */
    void inject(PageRuns runs, PageBuffer pages, MemoryCopier copier) {
        copier.write(cell.memory(), runs, pages);
    }

    /** Loads device state and waits until QEMU has taken it. */
    void load(byte[] deviceState, Deadline deadline) {
        CompletableFuture<Void> loaded = new CompletableFuture<>();
        Consumer<QmpEvent> listener = event -> {
            if (event.name().equals("MIGRATION")) {
                switch (event.data().path("status").asString("")) {
                    case "completed" -> loaded.complete(null);
                    case "failed" ->
                        loaded.completeExceptionally(new BoxdException(
                                ErrorCode.INTERNAL, "QEMU refused the state: " + Cells.lastWords(cell.folder())));
                    default -> {
                        // Still on its way.
                    }
                }
            }
        };
        cell.listen(listener);
        try {
            cell.folder().putIncomingState(deviceState);
            ObjectNode arguments = Json.object();
            arguments.put("uri", QemuCommand.INCOMING);
            cell.qmp().execute("migrate-incoming", arguments, deadline);
            cell.qmp().await(anyOf(loaded, cell), "loading the machine's state", deadline);
        } finally {
            cell.unlisten(listener);
        }
    }

    private static CompletableFuture<Void> anyOf(CompletableFuture<Void> loaded, Cell cell) {
        cell.onEnd(() -> loaded.completeExceptionally(new BoxdException(
                ErrorCode.UNAVAILABLE, "QEMU ended while loading: " + Cells.lastWords(cell.folder()))));
        return loaded;
    }

    @Override
    public void close() {
        cell.close();
    }
}
