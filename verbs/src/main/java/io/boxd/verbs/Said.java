package io.boxd.verbs;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a command line says. */
public sealed interface Said {
    /** A verb with its parameters. */
    record Do(Request request) implements Said {}

    /** Someone wants help: about one verb, about a family such as {@code snapshot}, or, with none, about all. */
    record Help(List<Verb> verbs, @Nullable String family) implements Said {
        public Help {
            verbs = List.copyOf(verbs);
        }
    }
}
