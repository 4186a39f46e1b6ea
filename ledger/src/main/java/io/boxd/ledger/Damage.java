package io.boxd.ledger;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The errors for files that are not what they were when they were written. */
final class Damage {
    private static final String RESTORE = "Nothing was changed. If you have a good copy of this file, put it back."
            + " Otherwise: boxd state restore, which keeps the present files aside and says what is lost.";

    private Damage() {}

    static BoxdException of(Path file, String what) {
        return of(file, what, null);
    }

    static BoxdException of(Path file, String what, @Nullable Throwable cause) {
        return new BoxdException(ErrorCode.INTERNAL, file + " is damaged: " + what, RESTORE, cause);
    }

    static BoxdException missing(Path file, String why) {
        return new BoxdException(ErrorCode.INTERNAL, file + " is missing: " + why, RESTORE, null);
    }

    static BoxdException newer(String what) {
        return new BoxdException(
                ErrorCode.WRONG_STATE,
                what + " was written by a newer boxd",
                "Run that version, or a newer one. Nothing was changed.",
                null);
    }
}
