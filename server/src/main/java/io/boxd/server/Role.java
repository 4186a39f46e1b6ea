package io.boxd.server;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What a process of boxd can be; the same program is all of it, or some. */
enum Role {
    /** Decides what boxes are to be. */
    CONTROL,
    /** Makes it so on this host. */
    WORKER,
    /** The HTTP door. */
    API;

    /** Speaks with people, and needs no rights on the host. */
    boolean isDoor() {
        return switch (this) {
            case CONTROL, WORKER -> false;
            case API -> true;
        };
    }

    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<Role> named(String wireName) {
        return Stream.of(values())
                .filter(role -> role.wireName().equals(wireName))
                .findFirst();
    }
}
