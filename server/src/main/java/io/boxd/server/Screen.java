package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.Json;
import io.boxd.verbs.Harmless;
import java.util.Objects;

/** What host commands tell the person at the terminal. */
final class Screen {
    private static final int LONGEST = 100;

    private Screen() {}

    static void say(String line) {
        System.out.println(line);
    }

    /** A stage of something that takes a while; goes to standard error, so that output stays clean. */
    static void progress(String stage) {
        System.err.println("  " + Harmless.cut(stage, LONGEST));
    }

    static void json(Object record) {
        System.out.print(Json.writePretty(record));
    }

    /** What programs read of a failure. */
    private record Failure(Error error) {
        private record Error(
                String code,
                String message,
                @org.jspecify.annotations.Nullable String hint) {}
    }

    static void fail(BoxdException failure, boolean json) {
        String message = String.valueOf(failure.getMessage());
        String hint = failure.hint();
        if (json) {
            System.err.println(
                    Json.write(new Failure(new Failure.Error(failure.code().wireName(), message, hint))));
            return;
        }
        System.err.println("boxd: " + message);
        if (Objects.nonNull(hint)) {
            System.err.println(hint);
        }
    }
}
