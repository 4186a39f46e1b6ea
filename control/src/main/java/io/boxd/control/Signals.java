package io.boxd.control;

import static java.util.Locale.ROOT;

import java.util.List;
import java.util.regex.Pattern;

/** The names of Linux' signals. */
final class Signals {
    static final int KILL = 9;
    static final int TERM = 15;

    /** In the order of their numbers, from 1. */
    private static final List<String> NAMES = List.of(
            "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM",
            "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF",
            "WINCH", "IO", "PWR", "SYS");

    private static final int LAST = 64;
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,2}");

    private Signals() {}

    /** By name, with or without SIG, or by number. */
    static int number(String name) {
        if (NUMBER.matcher(name).matches()) {
            int number = Integer.parseInt(name);
            if (number >= 1 && number <= LAST) {
                return number;
            }
        }
        String upper = name.toUpperCase(ROOT);
        int index = NAMES.indexOf(upper.startsWith("SIG") ? upper.substring(3) : upper);
        if (index < 0) {
            throw Failures.invalid("there is no signal '" + Printable.line(name) + "'", "Try INT, TERM, HUP or KILL.");
        }
        return index + 1;
    }

    static String name(int number) {
        return number >= 1 && number <= NAMES.size() ? NAMES.get(number - 1) : String.valueOf(number);
    }
}
