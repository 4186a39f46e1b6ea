package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/** Everything that is wrong with something a person wrote, so that it is told at once. */
final class Problems {
    private final String what;
    private final String hint;
    private final List<String> found = new ArrayList<>();

    /** @param what is wrong, such as "the configuration" */
    Problems(String what, String hint) {
        this.what = what;
        this.hint = hint;
    }

    /** @param where file and line, or the variable */
    void add(String where, String why) {
        found.add(where + ": " + why);
    }

    void throwIfAny() {
        if (!found.isEmpty()) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    what + " is wrong:" + (found.size() == 1 ? " " : "\n  ") + String.join("\n  ", found),
                    hint,
                    null);
        }
    }
}
