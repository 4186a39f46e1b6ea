package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.Json;
import io.boxd.verbs.Harmless;

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

    static void fail(BoxdException failure, boolean json) {
        if (json) {
            System.err.println(Json.write(ErrorAnswer.of(failure)));
            return;
        }
        System.err.println("boxd: " + failure.getMessage());
        if (failure.hint() != null) {
            System.err.println(failure.hint());
        }
    }
}
