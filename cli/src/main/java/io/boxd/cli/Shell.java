package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.Locale;

/** A shell that can ask what to complete. */
enum Shell {
    BASH,
    ZSH,
    FISH;

    static Shell named(String name) {
        for (Shell each : values()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(name)) {
                return each;
            }
        }
        throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "there is no completion for the shell " + name);
    }
}
