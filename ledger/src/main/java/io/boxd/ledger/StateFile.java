package io.boxd.ledger;

import io.boxd.common.BoxdException;
import io.boxd.common.Json;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Objects;

/**
 * The whole state at one point in one file: a line of JSON that says which, how long and with which hash, and after
 * it a SQLite database.
 */
final class StateFile {
    private static final String KIND = "boxd state";
    private static final int FORMAT = 1;
    private static final int LONGEST_LINE = 4096;
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path file;
    private final Manifest manifest;
    private final int lineBytes;

    /**
     * The first line.
     *
     * @param index of the last entry that the state follows from
     * @param length of the database in bytes
     */
    record Manifest(
            String kind, int format, long index, long term, String chain, long rows, long length, String sha256) {
        Position position() {
            return new Position(index, term, new Chain(chain), rows);
        }
    }

    private StateFile(Path file, Manifest manifest, int lineBytes) {
        this.file = file;
        this.manifest = manifest;
        this.lineBytes = lineBytes;
    }

    Path file() {
        return file;
    }

    Position position() {
        return manifest.position();
    }

    /** Writes the present state of a database to a file that appears whole and lasting, or not at all. */
    static StateFile write(Path database, Path file) {
        Path parent = Objects.requireNonNull(file.toAbsolutePath().getParent());
        Path copy = parent.resolve("." + file.getFileName() + ".copy");
        Path unfinished = parent.resolve("." + file.getFileName() + ".new");
        FileOwner.deleteTree(copy);
        FileOwner.deleteTree(unfinished);
        try {
            Position position = StateDatabase.copy(database, copy);
            Manifest manifest = new Manifest(
                    KIND,
                    FORMAT,
                    position.index(),
                    position.term(),
                    position.chain().hash(),
                    position.rows(),
                    Files.size(copy),
                    hash(copy));
            byte[] line = (Json.write(manifest) + "\n").getBytes(StandardCharsets.UTF_8);
            Files.createFile(
                    unfinished, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            try (OutputStream out = Files.newOutputStream(unfinished)) {
                out.write(line);
                Files.copy(copy, out);
            }
            Durable.sync(unfinished);
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            Durable.syncFolder(parent);
            return new StateFile(file, manifest, line.length);
        } catch (IOException e) {
            throw Durable.failure("the state could not be written to " + file, e);
        } finally {
            FileOwner.deleteTree(copy);
            FileOwner.deleteTree(unfinished);
        }
    }

    private static String hash(Path file) throws IOException {
        MessageDigest digest = Chain.sha256();
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Opens one whose content is what its first line says. */
    static StateFile open(Path file) {
        if (!Files.exists(file)) {
            throw Damage.missing(file, "the log before it is gone, so it is needed");
        }
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES)) {
            byte[] line = line(file, in);
            Manifest manifest = manifest(file, line);
            MessageDigest digest = Chain.sha256();
            long length = new DigestInputStream(in, digest).transferTo(OutputStream.nullOutputStream());
            if (length != manifest.length()) {
                throw Damage.of(file, "it has %d bytes of state instead of %d".formatted(length, manifest.length()));
            }
            if (!HexFormat.of().formatHex(digest.digest()).equals(manifest.sha256())) {
                throw Damage.of(file, "its content is not what was written");
            }
            return new StateFile(file, manifest, line.length + 1);
        } catch (IOException e) {
            throw Damage.of(file, "it cannot be read: " + e.getMessage(), e);
        }
    }

    private static byte[] line(Path file, InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0 || line.size() == LONGEST_LINE) {
                throw Damage.of(file, "it does not begin like the state of a boxd");
            }
            line.write(next);
        }
        return line.toByteArray();
    }

    private static Manifest manifest(Path file, byte[] line) {
        Manifest manifest;
        try {
            manifest = Json.read(new String(line, StandardCharsets.UTF_8), Manifest.class);
        } catch (BoxdException e) {
            throw Damage.of(file, "its first line cannot be read", e);
        }
        if (!KIND.equals(manifest.kind())) {
            throw Damage.of(file, "it is not the state of a boxd");
        }
        if (manifest.format() > FORMAT) {
            throw Damage.newer(file.toString());
        }
        return manifest;
    }

    /** Writes the database in it to a file of its own, which must not exist; it lasts when this returns. */
    void extract(Path database) {
        try (InputStream in = Files.newInputStream(file)) {
            in.skipNBytes(lineBytes);
            Files.copy(in, database);
            Files.setPosixFilePermissions(database, PosixFilePermissions.fromString("rw-------"));
            Durable.sync(database);
            Durable.syncFolder(Objects.requireNonNull(database.toAbsolutePath().getParent()));
        } catch (IOException e) {
            throw Durable.failure("the state in " + file + " could not be written to " + database, e);
        }
        try (StateDatabase extracted = StateDatabase.open(database)) {
            if (!extracted.position().equals(position())) {
                throw Damage.of(file, "the state in it is not the one that its first line tells of");
            }
        }
    }
}
