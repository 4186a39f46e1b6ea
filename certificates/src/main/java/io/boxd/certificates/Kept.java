package io.boxd.certificates;

import io.boxd.common.Json;
import io.boxd.linux.Durable;
import io.boxd.trust.Credentials;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The files of certificates that others have issued: one with key and certificates, one with how it stands.
 *
 * <p>Failures are kept, too, so that a server that starts again and again does not ask again and again.
 */
final class Kept {
    private static final String SECRET = ".pem";
    private static final String STANDING = ".json";

    private final Path folder;

    Kept(Path folder) {
        this.folder = folder;
    }

    /**
     * How it stands with the certificate for some names.
     *
     * @param directory of the authority that is asked
     * @param tryAt when it is to be renewed or tried again
     * @param reason of the last failure; empty if there was none
     */
    record Standing(List<String> names, String directory, String tryAt, int failures, String reason) {
        Standing {
            names = List.copyOf(names);
        }

        Instant due() {
            return Instant.parse(tryAt);
        }
    }

    List<Standing> standings() {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            List<Standing> found = new ArrayList<>();
            for (Path file : files.filter(path -> path.toString().endsWith(STANDING))
                    .sorted()
                    .toList()) {
                found.add(Json.read(Files.readString(file), Standing.class));
            }
            return found;
        } catch (IOException e) {
            throw Durable.failure("the certificates in " + folder + " cannot be read", e);
        }
    }

    Optional<Credentials> credentials(List<String> names) {
        Path file = file(names, SECRET);
        return Files.exists(file) ? Optional.of(Credentials.kept(file)) : Optional.empty();
    }

    void keep(List<String> names, Credentials issued) {
        issued.keep(file(names, SECRET));
    }

    void keep(Standing standing) {
        try {
            Durable.replace(
                    file(standing.names(), STANDING),
                    Json.writePretty(standing).getBytes(StandardCharsets.UTF_8),
                    "rw-------");
        } catch (IOException e) {
            throw Durable.failure("the state of a certificate could not be kept in " + folder, e);
        }
    }

    void forget(List<String> names) {
        try {
            Files.deleteIfExists(file(names, STANDING));
            Files.deleteIfExists(file(names, SECRET));
        } catch (IOException e) {
            throw Durable.failure("a certificate in " + folder + " could not be deleted", e);
        }
    }

    /** Host names have no slash and do not begin with a dot, so none leads out of the folder. */
    private Path file(List<String> names, String kind) {
        return folder.resolve(names.getFirst().replace('*', '_') + kind);
    }
}
