package io.boxd.control;

import io.boxd.verbs.Harmless;

/** Makes text of strangers fit for a message: one line, short, nothing that steers a terminal. */
final class Printable {
    private static final int LONGEST = 120;

    private Printable() {}

    static String line(String text) {
        return Harmless.cut(text, LONGEST);
    }
}
