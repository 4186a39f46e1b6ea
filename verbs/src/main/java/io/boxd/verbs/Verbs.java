package io.boxd.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The table of all verbs. */
public final class Verbs {
    private static final List<Verb> ALL = joined(List.of(
            BoxVerbs.ALL,
            CommandVerbs.ALL,
            SleepVerbs.ALL,
            TimeVerbs.ALL,
            AccountVerbs.ALL,
            HistoryVerbs.ALL,
            HostVerbs.ALL,
            NameVerbs.ALL));

    private static final List<Verb> WITH_DOORS = joined(List.of(
            BoxVerbs.ALL,
            CommandVerbs.DOOR,
            CommandVerbs.ALL,
            SleepVerbs.ALL,
            TimeVerbs.ALL,
            AccountVerbs.ALL,
            HistoryVerbs.ALL,
            HostVerbs.LOCAL,
            HostVerbs.ALL,
            NameVerbs.ALL,
            NameVerbs.DOOR,
            ContextVerbs.LOCAL));

    private Verbs() {}

    /** By hand: the command is started for every line, and the code for a stream is made anew each time. */
    private static List<Verb> joined(List<List<Verb>> parts) {
        List<Verb> all = new ArrayList<>();
        for (List<Verb> part : parts) {
            all.addAll(part);
        }
        return List.copyOf(all);
    }

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
