package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;

/** The errors that several verbs have in common. */
final class Failures {
    private Failures() {}

    static BoxdException invalid(String message) {
        return new BoxdException(ErrorCode.INVALID_ARGUMENT, message);
    }

    static BoxdException invalid(String message, String hint) {
        return new BoxdException(ErrorCode.INVALID_ARGUMENT, message, hint, null);
    }

    static BoxdException notFound(String message, String hint) {
        return new BoxdException(ErrorCode.NOT_FOUND, message, hint, null);
    }
}
