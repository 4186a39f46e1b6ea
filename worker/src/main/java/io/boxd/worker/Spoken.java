package io.boxd.worker;

import java.time.Duration;

/** Words for people. */
final class Spoken {
    private static final int LONGEST = 80;

    private Spoken() {}

    /** A time as one would say it. */
    static String of(Duration time) {
        if (time.toSeconds() < 1) {
            return time.toMillis() + " ms";
        }
        if (time.toMinutes() < 2) {
            return time.toSeconds() + " s";
        }
        return time.toHours() < 2 ? time.toMinutes() + " min" : time.toHours() + " h";
    }

    /** Text of a guest, shortened, without anything that a terminal would act on. */
    static String printable(String hostile) {
        String printable = hostile.strip().replaceAll("[\\p{Cntrl}\\p{Cf}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}]", "?");
        return printable.length() <= LONGEST ? printable : printable.substring(0, LONGEST) + "…";
    }
}
