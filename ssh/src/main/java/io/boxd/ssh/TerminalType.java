package io.boxd.ssh;

import java.util.Set;

/** Kinds of terminals: what clients call theirs, and which of those whose abilities are known here is like it. */
final class TerminalType {
    /** Asked about any other, JLine would run a program. */
    private static final Set<String> KNOWN =
            Set.of("ansi", "dumb", "rxvt", "rxvt-unicode", "screen", "screen-256color", "xterm", "xterm-256color");

    private TerminalType() {}

    static String known(String type) {
        if (KNOWN.contains(type)) {
            return type;
        }
        if (type.startsWith("tmux") || type.startsWith("screen")) {
            return "screen-256color";
        }
        return type.startsWith("vt") || type.equals("linux") || type.isEmpty() ? "ansi" : "xterm-256color";
    }
}
