package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * By which a request is known again when it is repeated.
 *
 * @param owner who asks; others may use the same key
 * @param key chosen by whoever asks
 * @param request a hash of what is asked for
 */
public record RequestKey(String owner, String key, String request) {
    private static final int LONGEST = 255;

    /** What a key may be, as a regular expression. */
    public static final String PATTERN = "^[!-~]{1," + LONGEST + "}$";

    /** How long a request is known again. */
    public static final Duration REMEMBERED = Duration.ofHours(24);

    private static final Pattern FORM = Pattern.compile(PATTERN);

    public RequestKey {
        if (!FORM.matcher(key).matches()) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "an idempotency key has 1 to " + LONGEST + " visible ASCII characters",
                    "A random UUID is one.",
                    null);
        }
    }

    /** Under which it is remembered; neither part can have a space. */
    public String id() {
        return owner + " " + key;
    }

    /** Another request came under this key. */
    public BoxdException usedOtherwise() {
        return new BoxdException(
                ErrorCode.ALREADY_EXISTS,
                "the idempotency key " + key + " was used for another request",
                "Repeat a request exactly, or choose a new key.",
                null);
    }
}
