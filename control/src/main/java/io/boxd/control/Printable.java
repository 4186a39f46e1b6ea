package io.boxd.control;

import io.boxd.guest.GuestBytes;

/** Makes text of strangers fit for a message: one line, short, nothing that steers a terminal. */
final class Printable {
    private static final int LONGEST = 120;

    private Printable() {}

    static String line(String text) {
        String harmless = GuestBytes.of(text).toString();
        return harmless.length() <= LONGEST ? harmless : harmless.substring(0, LONGEST - 1) + "…";
    }
}
