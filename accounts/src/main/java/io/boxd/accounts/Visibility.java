package io.boxd.accounts;

import java.util.Locale;

/** Who besides its owner has to do with a box. */
public enum Visibility {
    PRIVATE,
    /** The members of its organisation. */
    SHARED;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
