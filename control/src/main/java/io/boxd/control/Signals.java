package io.boxd.control;

import io.boxd.common.SignalNames;

/** Signals as users say them. */
final class Signals {
    static final int KILL = 9;

    private Signals() {}

    /** By name, with or without SIG, or by number. */
    static int number(String name) {
        return SignalNames.number(name)
                .orElseThrow(() -> Failures.invalid(
                        "there is no signal '" + Printable.line(name) + "'", "Try INT, TERM, HUP or KILL."));
    }
}
