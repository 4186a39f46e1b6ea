package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The frozen layers of this instance, each deleted when its last user is gone.
 *
 * <p>Layers of image bases lie elsewhere and are not counted here.
 */
final class LayerStore {
    private final Path folder;
    private final Map<String, Integer> users = new HashMap<>();

    LayerStore(Path folder) {
        this.folder = folder;
        FileOwner.folder(folder);
    }

    /** Turns a top that QEMU no longer writes into a layer; the caller is its first user. */
    synchronized Layer freeze(TopLayer top) {
        Path file = folder.resolve(top.id() + ".qcow2");
        FileOwner.give(top.file(), 0, "r--r--r--");
        try {
            Files.createLink(file, top.file());
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot keep disk layer " + top.file(), e);
        }
        users.put(top.id(), 1);
        return new Layer(top.id(), file, Layer.Format.QCOW2);
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
