package io.boxd.worker;

import java.security.SecureRandom;

/** Ids of boxes and snapshots: never used twice, and not to be guessed. */
final class BoxIds {
    private static final String BOX = "bx_";
    private static final String SNAPSHOT = "sn_";
    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
    private static final int LENGTH = 12;
    private static final SecureRandom RANDOM = new SecureRandom();

    private BoxIds() {}

    static String box() {
        return BOX + random();
    }

    static String snapshot() {
        return SNAPSHOT + random();
    }

    private static String random() {
        StringBuilder id = new StringBuilder(LENGTH);
        for (int i = 0; i < LENGTH; i++) {
            id.append(ALPHABET.charAt(RANDOM.nextInt(ALPHABET.length())));
        }
        return id.toString();
    }
}
