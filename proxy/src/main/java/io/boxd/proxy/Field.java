package io.boxd.proxy;

import java.util.Locale;

/** One line of a head or of trailers. */
record Field(String name, String value) {
    /** Whether it has this name, which is in lower case. */
    boolean is(String lowerCase) {
        return name.length() == lowerCase.length()
                && name.toLowerCase(Locale.ROOT).equals(lowerCase);
    }
}
