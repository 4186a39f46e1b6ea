package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.FileOwner;
import io.boxd.linux.FileWriters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The frozen layers of this instance, each deleted when its last user is gone.
 *
 * <p>Layers of image bases lie elsewhere and are not counted here.
 */
final class LayerStore {
    /** A QEMU lets go of a frozen top before it says so; only helpers we start could hold it for a moment. */
    private static final Duration LETTING_GO = Duration.ofMillis(500);

    private final Path folder;
    private final Map<String, Integer> users = new HashMap<>();

    LayerStore(Path folder) {
        this.folder = folder;
        FileOwner.folder(folder);
    }

    /** Turns a top that QEMU no longer writes into a layer; the caller is its first user. */
    Layer freeze(TopLayer top) {
        Path file = folder.resolve(top.id() + ".qcow2");
        FileOwner.give(top.file(), 0, "r--r--r--");
        // A QEMU that was taken over may have kept a descriptor: permissions do not take that back.
        if (!FileWriters.awaitNone(top.file(), Deadline.in(LETTING_GO))) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE, "disk layer " + top.file() + " cannot be frozen: it is open for writing");
        }
        try {
            Files.createLink(file, top.file());
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot keep disk layer " + top.file(), e);
        }
        Layer layer = new Layer(top.id(), file, Layer.Format.QCOW2);
        retain(List.of(layer));
        return layer;
    }

    synchronized void retain(List<Layer> layers) {
        for (Layer layer : layers) {
            if (owns(layer)) {
                users.merge(layer.id(), 1, Integer::sum);
            }
        }
    }

    synchronized void release(List<Layer> layers) {
        for (Layer layer : layers) {
            if (owns(layer) && users.containsKey(layer.id())) {
                int left = users.merge(layer.id(), -1, Integer::sum);
                if (left == 0) {
                    users.remove(layer.id());
                    FileOwner.deleteTree(layer.file());
                }
            }
        }
    }

    private boolean owns(Layer layer) {
        return folder.equals(layer.file().getParent());
    }
}
