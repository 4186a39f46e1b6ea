package io.boxd.verbs;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The table of all verbs. */
public final class Verbs {
    private static final List<Verb> ALL = Stream.of(
                    BoxVerbs.ALL, CommandVerbs.ALL, SleepVerbs.ALL, TimeVerbs.ALL, AccountVerbs.ALL, HostVerbs.ALL)
            .flatMap(List::stream)
            .toList();

    private static final List<Verb> WITH_DOORS = Stream.of(
                    BoxVerbs.ALL,
                    CommandVerbs.DOOR,
                    CommandVerbs.ALL,
                    SleepVerbs.ALL,
                    TimeVerbs.ALL,
                    AccountVerbs.ALL,
                    HostVerbs.DOOR,
                    HostVerbs.ALL)
            .flatMap(List::stream)
            .toList();

    private Verbs() {}

    /** Those that a server answers. */
    public static List<Verb> all() {
        return ALL;
    }

    /** Those, and what a door does by itself. */
    public static List<Verb> withDoors() {
        return WITH_DOORS;
    }

    /** The verb with this name or alias that a server answers. */
    public static Optional<Verb> named(String name) {
        return ALL.stream().filter(verb -> verb.isNamed(name)).findFirst();
    }
}
