package io.boxd.common;

import org.jspecify.annotations.Nullable;

/** A failure with a stable code, a message that says what failed and why, and a hint what to do. */
public final class BoxdException extends RuntimeException {
    private final ErrorCode code;
    private final @Nullable String hint;

    public BoxdException(ErrorCode code, String message) {
        this(code, message, null, null);
    }

    public BoxdException(ErrorCode code, String message, @Nullable Throwable cause) {
        this(code, message, null, cause);
    }

    public BoxdException(ErrorCode code, String message, @Nullable String hint, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.hint = hint;
    }

    public ErrorCode code() {
        return code;
    }

    /** What the reader can do about it, where there is something. */
    public @Nullable String hint() {
        return hint;
    }
}
