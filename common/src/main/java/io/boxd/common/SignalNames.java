package io.boxd.common;

import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** The names of Linux' signals. */
public final class SignalNames {
    /** In the order of their numbers, from 1. */
    private static final List<String> NAMES = List.of(
            "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM",
            "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF",
            "WINCH", "IO", "PWR", "SYS");

    private static final int LAST = 64;
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,2}");

    private SignalNames() {}

    /** In the order of their numbers, from 1. */
    public static List<String> all() {
        return NAMES;
    }

    /** By name, with or without SIG, or by number. */
    public static OptionalInt number(String name) {
        if (NUMBER.matcher(name).matches()) {
            int number = Integer.parseInt(name);
            return number >= 1 && number <= LAST ? OptionalInt.of(number) : OptionalInt.empty();
        }
        String upper = name.toUpperCase(Locale.ROOT);
        int index = NAMES.indexOf(upper.startsWith("SIG") ? upper.substring(3) : upper);
        return index < 0 ? OptionalInt.empty() : OptionalInt.of(index + 1);
    }

    /** The name without SIG; the number where there is none. */
    public static String name(int number) {
        return number >= 1 && number <= NAMES.size() ? NAMES.get(number - 1) : String.valueOf(number);
    }
}
