package io.boxd.guest.image;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.linux.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Folders that are built once, under a key of all that goes in, and never change afterwards.
 *
 * <p>A part is built in a folder aside, made durable and moved into place in one step, its manifest written last: what
 * is found under its name is whole. What a killed build left aside is removed by the next build of any part.
 */
final class PartStore {
    private static final String MANIFEST = "manifest.json";

    private final Path parts;
    private final Path building;
    private final Path locks;

    PartStore(Path cache) throws IOException {
        parts = Files.createDirectories(cache.resolve("parts"));
        building = Files.createDirectories(cache.resolve("building"));
        locks = Files.createDirectories(cache.resolve("locks"));
    }

    /** A finished part. */
    record Part(Path folder, JsonNode manifest) {
        Path file(String name) {
            return folder.resolve(name);
        }

        /** The hash of a file of this part, as it was when built. */
        String hash(String name) {
            return manifest.path("files").path(name).path("sha256").asString();
        }

        String fact(String name) {
            return manifest.path(name).asString();
        }
    }

    /** Puts a part's files into the folder and what is worth knowing about them into the manifest. */
    interface Builder {
        void build(Path folder, ObjectNode manifest) throws IOException;
    }

    /** The part if it was built and is whole. */
    Optional<Part> find(String kind, String key) throws IOException {
        return find(name(kind, key));
    }

    private static String name(String kind, String key) {
        return kind + "-" + key;
    }

    Part obtain(String kind, String key, Builder builder, Deadline deadline) throws IOException {
        String name = name(kind, key);
        Optional<Part> ready = find(name);
        if (ready.isPresent()) {
            return ready.get();
        }
        try (var _ = BuildLock.acquire(lockOf(name), deadline)) {
            Optional<Part> builtMeanwhile = find(name);
            if (builtMeanwhile.isPresent()) {
                return builtMeanwhile.get();
            }
            removeLeftovers(name);
            build(name, builder, deadline);
        }
        return find(name).orElseThrow(() -> new IOException("part " + name + " vanished after it was built"));
    }

    /** The part, when it is there and its files have the lengths they were built with. */
    private Optional<Part> find(String name) throws IOException {
        Path folder = parts.resolve(name);
        Path manifest = folder.resolve(MANIFEST);
        if (!Files.exists(manifest)) {
            return Optional.empty();
        }
        JsonNode facts = Json.parse(Files.readString(manifest));
        for (var file : facts.path("files").properties()) {
            Path path = folder.resolve(file.getKey());
            if (!Files.exists(path)
                    || Files.size(path) != file.getValue().path("bytes").asLong()) {
                return Optional.empty();
            }
        }
        return Optional.of(new Part(folder, facts));
    }

    private void build(String name, Builder builder, Deadline deadline) throws IOException {
        Path aside = Files.createDirectory(building.resolve(name + "." + UUID.randomUUID()));
        try {
            ObjectNode manifest = Json.object();
            manifest.put("part", name);
            builder.build(aside, manifest);
            seal(aside, manifest);
            Command.of("sync", "-f", aside.toString()).check(deadline);
            Path place = parts.resolve(name);
            // Something there without valid files is damaged: it was not accepted by find.
            remove(place);
            Files.move(aside, place, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            remove(aside);
        }
    }

    private static void seal(Path folder, ObjectNode manifest) throws IOException {
        ObjectNode files = manifest.putObject("files");
        for (Path file : entries(folder)) {
            if (Files.isRegularFile(file)) {
                ObjectNode facts = files.putObject(file.getFileName().toString());
                facts.put("bytes", Files.size(file));
                facts.put("sha256", Key.ofFile(file));
                readOnly(file);
            }
        }
        Path manifestFile = folder.resolve(MANIFEST);
        Files.writeString(manifestFile, Json.writePretty(manifest));
        readOnly(manifestFile);
    }

    private static void readOnly(Path file) throws IOException {
        boolean program = Files.isExecutable(file);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(program ? "r-xr-xr-x" : "r--r--r--"));
    }

    /** Removes what builders that no longer live left behind; their locks are free. */
    private void removeLeftovers(String ours) throws IOException {
        for (Path folder : entries(building)) {
            String fileName = folder.getFileName().toString();
            String name = fileName.substring(0, Math.max(0, fileName.lastIndexOf('.')));
            if (name.equals(ours)) {
                remove(folder);
            } else {
                Optional<BuildLock> free = BuildLock.tryAcquire(lockOf(name));
                if (free.isPresent()) {
                    try (var _ = free.get()) {
                        remove(folder);
                    }
                }
            }
        }
    }

    private Path lockOf(String name) {
        return locks.resolve(name);
    }

    private static List<Path> entries(Path folder) throws IOException {
        try (Stream<Path> found = Files.list(folder)) {
            return found.sorted().toList();
        }
    }

    /** Never crosses into another file system: a half-made tree might still have one mounted. */
    private static void remove(Path folder) {
        if (Files.exists(folder)) {
            Command.of("rm", "-rf", "--one-file-system", folder.toString()).run(Deadline.inSeconds(120));
        }
    }
}
