package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import io.boxd.linux.FileWriters;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The frozen layers of this instance, each deleted when its last user is gone.
 *
 * <p>Layers of image bases lie elsewhere and are not counted here.
 */
final class LayerStore {
    private static final String SUFFIX = ".qcow2";

    /** A QEMU lets go of a frozen top before it says so; only helpers we start could hold it for a moment. */
    private static final Duration LETTING_GO = Duration.ofMillis(500);

    private final Path folder;
    private final Checks checks;
    private final Map<String, Integer> users = new HashMap<>();
    private final Map<String, Part> durable = new HashMap<>();

    LayerStore(Path folder, Checks checks) {
        this.folder = folder;
        this.checks = checks;
        FileOwner.folder(folder);
    }

    /** Turns a top that QEMU no longer writes into a layer; the caller is its first user. */
    Layer freeze(TopLayer top) {
        Path file = folder.resolve(top.id() + SUFFIX);
        FileOwner.give(top.file(), 0, "r--r--r--");
        // A QEMU that was taken over may have kept a descriptor: permissions do not take that back.
        if (!FileWriters.awaitNone(top.file(), Deadline.in(LETTING_GO))) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE, "disk layer " + top.file() + " cannot be frozen: it is open for writing");
        }
        try {
            Files.createLink(file, top.file());
        } catch (FileAlreadyExistsException e) {
            // A server that was killed had got this far; the name is nobody else's.
            assert Files.exists(file);
        } catch (IOException e) {
            throw Durable.failure("cannot keep disk layer " + top.file(), e);
        }
        Layer layer = new Layer(top.id(), file, Layer.Format.QCOW2);
        retain(List.of(layer));
        return layer;
    }

    /** Layers by their names; the first may be those of a base. */
    List<Layer> resolve(List<String> ids, Base root) {
        Map<String, Layer> ofRoot = new HashMap<>();
        root.layers().forEach(layer -> ofRoot.put(layer.id(), layer));
        return ids.stream()
                .map(id -> {
                    Layer known = ofRoot.get(id);
                    return known != null ? known : named(id);
                })
                .toList();
    }

    /**
     * Keeps layers of an image's base by names of their own: a machine that was booted from its disk needs them, and
     * not the base. The image itself every base of it has.
     */
    List<Layer> own(List<Layer> foreign) {
        return foreign.stream()
                .map(layer -> layer.format() == Layer.Format.RAW || owns(layer) ? layer : linked(layer))
                .toList();
    }

    private Layer linked(Layer layer) {
        Layer own = named(layer.id());
        try {
            if (!Files.exists(own.file())) {
                Files.createLink(own.file(), layer.file());
            }
            return own;
        } catch (IOException e) {
            throw Durable.failure("cannot keep disk layer " + layer.file(), e);
        }
    }

    private Layer named(String id) {
        return new Layer(id, folder.resolve(id + SUFFIX), Layer.Format.QCOW2);
    }

    /** Those of these layers that are here; the others are a base's. */
    List<Layer> named(List<String> ids) {
        return ids.stream()
                .map(this::named)
                .filter(layer -> Files.exists(layer.file()))
                .toList();
    }

    /** Makes a frozen layer last, and returns what it must be found as later. */
    Part makeDurable(Layer layer) throws IOException {
        synchronized (this) {
            Part known = durable.get(layer.id());
            if (known != null) {
                return known;
            }
        }
        Durable.sync(layer.file());
        Durable.syncFolder(folder);
        Part part = Part.of(layer.file());
        checks.written(layer.file(), part);
        synchronized (this) {
            durable.put(layer.id(), part);
        }
        return part;
    }

    boolean owns(Layer layer) {
        return folder.equals(layer.file().getParent());
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
                    durable.remove(layer.id());
                    FileOwner.deleteTree(layer.file());
                }
            }
        }
    }

    /** Deletes every layer that nobody uses; everybody who does must have said so before. */
    synchronized void sweep() {
        try (Stream<Path> files = Files.list(folder)) {
            files.filter(file -> !users.containsKey(idOf(file))).forEach(FileOwner::deleteTree);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot look into " + folder, e);
        }
    }

    private static String idOf(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : "";
    }
}
