package io.boxd.cli;

import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The nine bits of a file's permissions; more than those a box cannot hand out, nor get. */
final class Permissions {
    private static final String LETTERS = "rwxrwxrwx";

    private Permissions() {}

    static int mode(Set<PosixFilePermission> permissions) {
        int mode = 0;
        for (char letter : PosixFilePermissions.toString(permissions).toCharArray()) {
            mode = mode << 1 | (letter == '-' ? 0 : 1);
        }
        return mode;
    }

    static Set<PosixFilePermission> of(int mode) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < LETTERS.length(); i++) {
            boolean set = (mode >> (LETTERS.length() - 1 - i) & 1) != 0;
            text.append(set ? LETTERS.charAt(i) : '-');
        }
        return PosixFilePermissions.fromString(text.toString());
    }
}
