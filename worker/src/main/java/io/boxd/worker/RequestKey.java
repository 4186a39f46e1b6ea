package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;

/**
 * By which a request is known again when it is repeated.
 *
 * @param owner who asks; others may use the same key
 * @param key chosen by whoever asks
 * @param request a hash of what is asked for
 */
public record RequestKey(String owner, String key, String request) {
    private static final int LONGEST = 255;

    public RequestKey {
        if (key.isEmpty() || key.length() > LONGEST || !key.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "an idempotency key has 1 to " + LONGEST + " visible ASCII characters",
                    "A random UUID is one.",
                    null);
        }
    }

    /** Under which it is remembered; neither part can have a space. */
    String id() {
        return owner + " " + key;
    }
}
