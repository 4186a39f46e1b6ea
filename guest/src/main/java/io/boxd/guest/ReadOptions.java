package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;

/**
 * Which part of a file is read, and how. Immutable; {@code with…} methods return changed copies.
 *
 * @param length at most so many bytes
 * @param special whether devices, pipes and the like may be read, which may have no end
 * @param hashed whether the machine hashes what it sends, for the host to compare
 */
public record ReadOptions(long offset, long length, boolean special, boolean hashed) {
    public ReadOptions {
        if (offset < 0 || length < 0) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "an offset or length is negative");
        }
    }

    /** All of a regular file. */
    public static ReadOptions all() {
        return new ReadOptions(0, Long.MAX_VALUE, false, false);
    }

    public ReadOptions withRange(long newOffset, long newLength) {
        return new ReadOptions(newOffset, newLength, special, hashed);
    }

    public ReadOptions withSpecial() {
        return new ReadOptions(offset, length, true, hashed);
    }

    public ReadOptions withHash() {
        return new ReadOptions(offset, length, special, true);
    }
}
