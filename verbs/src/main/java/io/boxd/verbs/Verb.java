package io.boxd.verbs;

import java.util.List;

/**
 * One thing that can be said, in the same words at every door.
 *
 * @param name one word or two, as in {@code snapshot save}
 * @param aliases other names for it
 * @param summary what it does, in a line
 * @param examples command lines as they are typed, the verb first
 */
public record Verb(
        String name,
        List<String> aliases,
        String summary,
        Route route,
        List<Parameter> parameters,
        List<String> examples) {
    public Verb {
        aliases = List.copyOf(aliases);
        parameters = List.copyOf(parameters);
        examples = List.copyOf(examples);
    }

    /** Those that stand in the route's path. */
    public boolean isInPath(Parameter parameter) {
        return route.path().contains("{" + parameter.field() + "}");
    }
}
