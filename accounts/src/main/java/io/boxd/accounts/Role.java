package io.boxd.accounts;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What somebody is in an organisation. */
public enum Role {
    /** Adds and removes members, and has what is shared there as if it were their own. */
    OWNER,
    /** Makes boxes there, and uses those that are shared. */
    MEMBER;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Role> named(String wireName) {
        return Stream.of(values())
                .filter(role -> role.wireName().equals(wireName))
                .findFirst();
    }
}
