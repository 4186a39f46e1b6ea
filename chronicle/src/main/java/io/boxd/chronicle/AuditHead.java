package io.boxd.chronicle;

import io.boxd.common.BoxdException;
import io.boxd.common.Json;
import io.boxd.linux.Durable;
import io.boxd.linux.Seal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The end of the audit: where the chain has come to. Kept under the instance's seal, so that nobody can cut off the
 * end of the audit and make the rest look whole.
 *
 * @param bytes of the last file that belong to the chain
 * @param hash of the last line
 */
record AuditHead(int file, long bytes, long sequence, String hash) {
    private static final String NAME = "head";

    /** Before the first entry. */
    static AuditHead none() {
        return new AuditHead(0, 0, 0, Sha256.ZERO);
    }

    /** The same chain, at the beginning of another file. */
    AuditHead inFile(int number) {
        return new AuditHead(number, 0, sequence, hash);
    }

    /**
     * What was sealed last.
     *
     * @throws BoxdException if it is not what this instance wrote
     */
    static Optional<AuditHead> read(Path folder, Seal seal) throws IOException {
        byte[] sealed;
        try {
            sealed = Files.readAllBytes(folder.resolve(NAME));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        return Optional.of(Json.read(seal.unseal(sealed, "the seal of the audit"), AuditHead.class));
    }

    /** The lines must be on disk already: a seal may be older than the lines, but never newer. */
    void write(Path folder, Seal seal) throws IOException {
        Durable.replace(folder.resolve(NAME), seal.seal(Json.write(this)), "rw-------");
    }
}
