package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import io.boxd.linux.Seal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Snapshots on disk: written so that a power cut leaves all of one or nothing, and read as if somebody
 * had meddled with them.
 *
 * <p>What is written is, in this order, made to last: the parts, the disk layers, the manifest with the
 * hashes of all of them and the instance's seal, the folder, its name. Only then may the record be told.
 */
final class SnapshotStore {
    private static final String MEMORY = "memory";
    private static final String STATE = "state";
    private static final String MANIFEST = "manifest";
    private static final String UNFINISHED = "unfinished-";
    private static final long MAX_MANIFEST_BYTES = 4L << 20;

    /** A clock that is off by half a percent is still within what machines are promised. */
    private static final double TSC_TOLERANCE = 0.005;

    private final Path folder;
    private final Seal seal;
    private final Checks checks;
    private final Bases bases;
    private final LayerStore layers;
    private final Room room;
    private final Host host;

    SnapshotStore(Path folder, Seal seal, Checks checks, Bases bases, LayerStore layers, Room room, Host host) {
        this.folder = FileOwner.folder(folder);
        this.seal = seal;
        this.checks = checks;
        this.bases = bases;
        this.layers = layers;
        this.room = room;
        this.host = host;
    }

    /** Refuses a snapshot that would not fit before the machine has to stand still for it. */
    void requireRoom(Machine source) {
        room.require(source.dirtyBytes() + source.base().inherited().bytes(), "a snapshot");
    }

    /** Writes an instant; when this returns it is whole and durable, and the caller tells the record. */
    SnapshotRow write(String id, Identity identity, Capture instant) {
        long bytes = instant.runs().bytes() + instant.base().inherited().bytes() + instant.deviceState().length;
        room.require(bytes, "a snapshot");
        Path unfinished = folder.resolve(UNFINISHED + id);
        try {
            FileOwner.newFolder(unfinished, "rwx------");
            List<Part> parts = new ArrayList<>();
            parts.add(MemoryDelta.write(unfinished.resolve(MEMORY), instant));
            parts.add(writeState(unfinished.resolve(STATE), instant.deviceState()));
            Manifest manifest = manifest(id, identity, instant, parts);
            Durable.write(unfinished.resolve(MANIFEST), seal.seal(Json.write(manifest)));
            Durable.publish(unfinished, folder.resolve(id));
            for (Part part : parts) {
                checks.written(folder.resolve(id).resolve(part.name()), part);
            }
            layers.retain(instant.layers());
            return new SnapshotRow(id, identity, manifest.base(), manifest.diskLayers());
        } catch (IOException e) {
            discard(id);
            throw Durable.failure("cannot write a snapshot", e);
        } catch (RuntimeException e) {
            discard(id);
            throw e;
        }
    }

    /** Removes a snapshot that was written and could not be recorded. */
    void discardUnrecorded(SnapshotRow row) {
        discard(row.id());
        releaseLayers(row);
    }

    private void discard(String id) {
        FileOwner.deleteTree(folder.resolve(UNFINISHED + id));
        FileOwner.deleteTree(folder.resolve(id));
    }

    private static Part writeState(Path file, byte[] state) throws IOException {
        try (HashingFile out = HashingFile.create(file)) {
            out.write(ByteBuffer.wrap(state));
            return out.finish();
        }
    }

    private Manifest manifest(String id, Identity identity, Capture instant, List<Part> parts) throws IOException {
        Base root = instant.base().root();
        List<Part> own = new ArrayList<>();
        for (Layer layer : instant.layers()) {
            if (layers.owns(layer)) {
                own.add(layers.makeDurable(layer));
            }
        }
        return new Manifest(
                Manifest.FORMAT,
                id,
                identity,
                root.id(),
                bases.parts(root),
                root.accelerator(),
                host.cpuName(),
                host.tscKilohertz(),
                QemuCommand.DEVICES_VERSION,
                root.bundle().key(),
                instant.layers().stream().map(Layer::id).toList(),
                own,
                parts);
    }

    /** Opens a snapshot after checking everything that it consists of; the reason is told if it is refused. */
    SavedInstant open(SnapshotRow row) {
        return open(row, true);
    }

    /**
     * The same without the pages, for a machine that maps its whole memory from elsewhere: to read them would
     * only take time.
     */
    SavedInstant openWithoutPages(SnapshotRow row) {
        return open(row, false);
    }

    private SavedInstant open(SnapshotRow row, boolean withPages) {
        try {
            return openChecked(row, withPages);
        } catch (BoxdException e) {
            throw new BoxdException(
                    e.code(),
                    "snapshot " + row.id() + " cannot be used: " + e.getMessage(),
                    "Nothing was changed. Use another snapshot, or start the machine from its disk.",
                    e);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.WRONG_STATE, "snapshot " + row.id() + " cannot be read", e);
        }
    }

    private SavedInstant openChecked(SnapshotRow row, boolean withPages) throws IOException {
        Path home = folder.resolve(row.id());
        Manifest manifest = readManifest(home);
        requireRow(manifest, row);
        requireHost(manifest);
        Base root = bases.find(manifest.base());
        require(root.bundle().key().equals(manifest.bundle()), "it was saved by another QEMU than its base");
        requireParts(root, manifest.baseParts());
        List<Layer> disk = layers.resolve(manifest.diskLayers(), root);
        for (Layer layer : disk) {
            if (layers.owns(layer)) {
                checks.require(layer.file(), partOf(layer, manifest));
            }
        }
        for (Part part : manifest.parts()) {
            checks.require(home.resolve(part.name()), part);
        }
        byte[] state = Files.readAllBytes(home.resolve(STATE));
        MemoryDelta.Content memory =
                withPages ? MemoryDelta.open(home.resolve(MEMORY), root.size().memoryBytes()) : MemoryDelta.nothing();
        return new SavedInstant(root, memory.runs(), memory.pages(), state, disk, layers);
    }

    private void requireParts(Base root, List<Part> parts) {
        BaseFolder place = bases.folderOf(root);
        checks.require(parts.stream().collect(Collectors.toMap(place::file, part -> part)));
    }

    /** Compares a base with its hashes before anybody has to wait for that; nobody is told the result here. */
    void checkAhead(Base root) {
        // Reading files would hold the carriers of virtual threads.
        Thread.ofPlatform().daemon().name("check-" + root.id()).start(() -> {
            try {
                requireParts(root, bases.parts(root));
            } catch (BoxdException e) {
                // Whoever starts a machine from a snapshot of it meets the same, and says so.
                return;
            }
        });
    }

    private static Part partOf(Layer layer, Manifest manifest) {
        String name = layer.file().getFileName().toString();
        return manifest.layers().stream()
                .filter(part -> part.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BoxdException(ErrorCode.WRONG_STATE, name + " is not part of it"));
    }

    private Manifest readManifest(Path home) throws IOException {
        Path file = home.resolve(MANIFEST);
        require(Files.isRegularFile(file), "its manifest is missing");
        require(Files.size(file) <= MAX_MANIFEST_BYTES, "its manifest is too long");
        return Json.read(seal.unseal(Files.readAllBytes(file), "its manifest"), Manifest.class);
    }

    private static void requireRow(Manifest manifest, SnapshotRow row) {
        require(manifest.id().equals(row.id()), "its files are those of snapshot " + manifest.id());
        require(manifest.format() == Manifest.FORMAT, "it has format " + manifest.format());
        require(
                manifest.base().equals(row.base())
                        && manifest.diskLayers().equals(row.layers())
                        && manifest.identity().equals(row.identity()),
                "the record describes another one");
    }

    private void requireHost(Manifest manifest) {
        require(
                manifest.devices() == QemuCommand.DEVICES_VERSION,
                "its machine has devices of version " + manifest.devices() + ", this boxd makes version "
                        + QemuCommand.DEVICES_VERSION);
        require(
                manifest.accelerator() == host.accelerator(),
                "it was saved with " + manifest.accelerator() + ", and this host runs machines with "
                        + host.accelerator());
        switch (manifest.accelerator()) {
            case KVM -> require(manifest.cpuName().equals(host.cpuName()), "it was saved on another processor");
            case TCG ->
                require(
                        Math.abs(manifest.tscKilohertz() - host.tscKilohertz()) <= TSC_TOLERANCE * host.tscKilohertz(),
                        "it was saved on a processor with another clock");
        }
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new BoxdException(ErrorCode.WRONG_STATE, otherwise);
        }
    }

    /** Bytes on disk, without layers. */
    long bytes(String id) {
        try (Stream<Path> files = Files.list(folder.resolve(id))) {
            long sum = 0;
            for (Path file : files.toList()) {
                sum += Files.size(file);
            }
            return sum;
        } catch (IOException e) {
            return 0;
        }
    }

    /** Says at a server's start that a recorded snapshot keeps its layers. */
    void retainLayers(SnapshotRow row) {
        layers.retain(resolve(row));
    }

    /** Deletes a snapshot that the record no longer has. */
    void delete(SnapshotRow row) {
        discard(row.id());
        releaseLayers(row);
    }

    private void releaseLayers(SnapshotRow row) {
        layers.release(resolve(row));
    }

    /** Without its base, which may be damaged: only the instance's own layers matter here. */
    private List<Layer> resolve(SnapshotRow row) {
        return layers.named(row.layers());
    }

    /** Deletes what was never recorded. */
    void sweep(Set<String> recorded) {
        try (Stream<Path> entries = Files.list(folder)) {
            entries.filter(entry -> !recorded.contains(entry.getFileName().toString()))
                    .forEach(FileOwner::deleteTree);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot look into " + folder, e);
        }
    }
}
