package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * How content becomes a file's. Immutable; {@code with…} methods return changed copies.
 *
 * @param offset where in the file, for {@link Placement#AT}
 * @param mode permissions, or null for those of the file that is replaced, else 0644
 * @param uid the new owner, or null for that of the file that is replaced, else the user who writes
 * @param parents whether folders that are missing on the way are made
 * @param sha256 the hash that the content must have, or null for the one it has on its way here
 */
public record WriteOptions(
        Placement placement,
        long offset,
        @Nullable Integer mode,
        @Nullable Integer uid,
        @Nullable Integer gid,
        boolean parents,
        @Nullable GuestBytes sha256) {
    /** What happens to content that is there already. */
    public enum Placement {
        /** Replaced at once, when all of the new content is there and safe on disk; never a mixture. */
        REPLACE(0),
        /** As {@code REPLACE}, and refused if the name is taken. */
        NEW(1),
        /** Overwritten in place from an offset on. */
        AT(2),
        /** Kept; the new content is put behind it. */
        APPEND(3);

        private final int wireValue;

        Placement(int wireValue) {
            this.wireValue = wireValue;
        }

        int wireValue() {
            return wireValue;
        }
    }

    private static final int MODE_BITS = 07777;

    public WriteOptions {
        if (offset < 0) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "an offset is negative");
        }
        if (mode != null && (mode & ~MODE_BITS) != 0) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "a mode has more than permissions");
        }
        if (sha256 != null && sha256.length() != Wire.HASH_BYTES) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "a SHA-256 has 32 bytes");
        }
    }

    private static WriteOptions of(Placement placement, long offset) {
        return new WriteOptions(placement, offset, null, null, null, false, null);
    }

    public static WriteOptions replace() {
        return of(Placement.REPLACE, 0);
    }

    public static WriteOptions createNew() {
        return of(Placement.NEW, 0);
    }

    public static WriteOptions at(long offset) {
        return of(Placement.AT, offset);
    }

    public static WriteOptions append() {
        return of(Placement.APPEND, 0);
    }

    public WriteOptions withMode(int newMode) {
        return new WriteOptions(placement, offset, newMode, uid, gid, parents, sha256);
    }

    public WriteOptions withOwner(int newUid, int newGid) {
        return new WriteOptions(placement, offset, mode, newUid, newGid, parents, sha256);
    }

    public WriteOptions withParents() {
        return new WriteOptions(placement, offset, mode, uid, gid, true, sha256);
    }

    public WriteOptions withSha256(byte[] hash) {
        return new WriteOptions(placement, offset, mode, uid, gid, parents, GuestBytes.of(hash));
    }
}
