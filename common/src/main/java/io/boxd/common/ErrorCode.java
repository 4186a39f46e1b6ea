package io.boxd.common;

import java.util.Locale;

/** The closed list of ways in which an operation can fail; doors map it to exit and HTTP status. */
public enum ErrorCode {
    INVALID_ARGUMENT,
    UNAUTHENTICATED,
    PERMISSION_DENIED,
    NOT_FOUND,
    ALREADY_EXISTS,
    WRONG_STATE,
    QUOTA_EXCEEDED,
    RESOURCE_EXHAUSTED,
    TIMEOUT,
    UNAVAILABLE,
    INTERNAL;

    /** The stable spelling that users and programs see. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
