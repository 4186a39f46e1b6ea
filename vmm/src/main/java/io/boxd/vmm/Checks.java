package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.linux.FileTree;
import io.boxd.linux.Seal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Which files were compared with their hash since the host started and have not been touched since.
 *
 * <p>Hashing a gigabyte takes most of a second, so nobody waits for it twice; but a file that was
 * written to, exchanged, or has been through a power cut is read in full before it is used.
 */
final class Checks implements AutoCloseable {
    private final Path file;
    private final Seal seal;
    private final String bootId;
    private final boolean comparesContent;
    private final Map<String, String> stamps = new HashMap<>();
    private boolean closed;

    private Checks(Path file, Seal seal, String bootId, boolean comparesContent) {
        this.file = file;
        this.seal = seal;
        this.bootId = bootId;
        this.comparesContent = comparesContent;
    }

    /** @param comparesContent false only to show what happens then */
    static Checks open(Path file, Seal seal, boolean comparesContent) {
        Checks checks = new Checks(file, seal, HostFacts.bootId(), comparesContent);
        checks.load();
        return checks;
    }

    /** What is lost or not ours only has to be checked again. */
    private void load() {
        try {
            if (Files.exists(file)) {
                JsonNode kept = Json.parse(seal.unseal(Files.readAllBytes(file), "the list of checked files"));
                if (kept.path("boot_id").asString("").equals(bootId)) {
                    kept.path("stamps")
                            .properties()
                            .forEach(entry ->
                                    stamps.put(entry.getKey(), entry.getValue().asString("")));
                }
            }
        } catch (IOException | BoxdException e) {
            stamps.clear();
        }
    }

    /** Throws unless the file is what the part says. */
    void require(Path path, Part part) {
        require(Map.of(path, part));
    }

    /** The same for many files, noted down together. */
    void require(Map<Path, Part> files) {
        Map<Path, String> compared = new HashMap<>();
        try {
            files.forEach((path, part) -> compare(path, part).ifPresent(stamp -> compared.put(path, stamp)));
        } finally {
            if (!compared.isEmpty()) {
                remember(compared);
            }
        }
    }

    /** The stamp of a file whose content had to be read. */
    private Optional<String> compare(Path path, Part part) {
        try {
            if (!Files.isRegularFile(path)) {
                throw new BoxdException(ErrorCode.WRONG_STATE, part.name() + " is missing");
            }
            if (Files.size(path) != part.bytes()) {
                throw new BoxdException(ErrorCode.WRONG_STATE, part.name() + " is damaged: its length is wrong");
            }
            String stamp = stamp(path, part);
            if (!comparesContent || known(path, stamp)) {
                return Optional.empty();
            }
            part.requireContent(path);
            return Optional.of(stamp);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.WRONG_STATE, part.name() + " cannot be read", e);
        }
    }

    /** Whether nobody has touched a file since {@link #written}, without reading it. */
    boolean isUntouched(Path path, Part part) {
        try {
            return Files.isRegularFile(path) && known(path, stamp(path, part));
        } catch (IOException e) {
            return false;
        }
    }

    /** Notes a file that was hashed while it was written. */
    void written(Path path, Part part) throws IOException {
        remember(Map.of(path, stamp(path, part)));
    }

    private synchronized boolean known(Path path, String stamp) {
        return stamp.equals(stamps.get(path.toString()));
    }

    private synchronized void remember(Map<Path, String> compared) {
        if (closed) {
            return;
        }
        compared.forEach((path, stamp) -> stamps.put(path.toString(), stamp));
        stamps.keySet().removeIf(name -> !Files.exists(Path.of(name)));
        try {
            FileTree.replace(file, seal.seal(Json.write(Map.of("boot_id", bootId, "stamps", stamps))));
        } catch (IOException e) {
            // On a full disk: what was written before still holds, and the next engine has to read some files again.
            assert !stamps.isEmpty();
        }
    }

    /** Notes nothing down from now on: what still reads files in the background has no say over a later engine. */
    @Override
    public synchronized void close() {
        closed = true;
    }

    /** Not the time of the last change of status: that changes whenever a cell is given the file. */
    private static String stamp(Path path, Part part) throws IOException {
        Map<String, Object> facts = Files.readAttributes(path, "unix:dev,ino,size,lastModifiedTime");
        return facts.get("dev") + ":" + facts.get("ino") + ":" + facts.get("size") + ":" + facts.get("lastModifiedTime")
                + ":" + part.sha256();
    }
}
