package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/** Everything that is wrong with a configuration, so that it is told at once. */
final class Problems {
    private final List<String> found = new ArrayList<>();

    /** @param where file and line, or the variable */
    void add(String where, String what) {
        found.add(where + ": " + what);
    }

    void throwIfAny() {
        if (!found.isEmpty()) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    (found.size() == 1 ? "the configuration is wrong: " : "the configuration is wrong:\n  ")
                            + String.join("\n  ", found),
                    "docs/configuration.md lists the keys and their values.",
                    null);
        }
    }
}
