package io.boxd.verbs;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import org.jspecify.annotations.Nullable;

/** Errors of someone who typed something wrong; what was typed is made harmless before it is quoted. */
final class Mistake {
    private static final int LONGEST_QUOTE = 60;

    private Mistake() {}

    static BoxdException of(String message, @Nullable String hint) {
        return new BoxdException(ErrorCode.INVALID_ARGUMENT, message, hint, null);
    }

    static String quoted(String typed) {
        return "'" + Harmless.cut(typed, LONGEST_QUOTE) + "'";
    }
}
