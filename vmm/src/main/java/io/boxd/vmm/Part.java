package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * One file that a snapshot or base is made of, as it was when written.
 *
 * @param sparse whether the hash is of the pages that are not all zeros, each with its place
 */
record Part(String name, long bytes, String sha256, boolean sparse) {
    /** A file as it is now. */
    static Part of(Path file) throws IOException {
        return new Part(
                file.getFileName().toString(), Files.size(file), HexFormat.of().formatHex(Hashes.ofFile(file)), false);
    }

    /** A small file that will be written with this content. */
    static Part of(String name, byte[] content) {
        return new Part(
                name, content.length, HexFormat.of().formatHex(Hashes.sha256().digest(content)), false);
    }

    /** The same content under another name. */
    Part named(String other) {
        return new Part(other, bytes, sha256, sparse);
    }

    /** A large file with many holes as it is now. */
    static Part ofSparse(Path file) throws IOException {
        return new Part(
                file.getFileName().toString(),
                Files.size(file),
                HexFormat.of().formatHex(Hashes.ofSparseFile(file)),
                true);
    }

    /** Throws unless the file still has this content. */
    void requireContent(Path file) {
        try {
            Part now = sparse ? ofSparse(file) : of(file);
            if (!now.sha256().equals(sha256)) {
                throw new BoxdException(ErrorCode.WRONG_STATE, name + " is damaged: its content has changed");
            }
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.WRONG_STATE, name + " cannot be read", e);
        }
    }
}
