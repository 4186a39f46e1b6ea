package io.boxd.server;

import io.boxd.common.BoxdException;
import org.jspecify.annotations.Nullable;

/** A failure as programs read it, here and in the API. */
record ErrorAnswer(Details error) {
    /** What went wrong. */
    record Details(String code, String message, @Nullable String hint) {}

    static ErrorAnswer of(BoxdException failure) {
        return new ErrorAnswer(
                new Details(failure.code().wireName(), String.valueOf(failure.getMessage()), failure.hint()));
    }
}
