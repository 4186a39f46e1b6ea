package io.boxd.verbs;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What must hold between parameters of a verb.
 *
 * @param fields the parameters, by their names in JSON
 */
public record Rule(Kind kind, List<String> fields) {
    /** How many of them may be said. */
    public enum Kind {
        AT_MOST_ONE,
        AT_LEAST_ONE,
        EXACTLY_ONE
    }

    public Rule {
        fields = List.copyOf(fields);
    }

    static Rule atMostOne(String... fields) {
        return new Rule(Kind.AT_MOST_ONE, List.of(fields));
    }

    static Rule atLeastOne(String... fields) {
        return new Rule(Kind.AT_LEAST_ONE, List.of(fields));
    }

    static Rule exactlyOne(String... fields) {
        return new Rule(Kind.EXACTLY_ONE, List.of(fields));
    }

    public boolean holds(Set<String> said) {
        long count = fields.stream().filter(said::contains).count();
        return switch (kind) {
            case AT_MOST_ONE -> count <= 1;
            case AT_LEAST_ONE -> count >= 1;
            case EXACTLY_ONE -> count == 1;
        };
    }

    /** The rule in words, for whoever broke it. */
    public String text(Verb verb) {
        String names = fields.stream()
                .map(field -> verb.parameters().stream()
                        .filter(parameter -> parameter.field().equals(field))
                        .findFirst()
                        .orElseThrow()
                        .shown())
                .collect(Collectors.joining(kind == Kind.AT_MOST_ONE ? " and " : " or "));
        return switch (kind) {
            case AT_MOST_ONE -> names + " exclude each other";
            case AT_LEAST_ONE -> verb.name() + " needs " + names;
            case EXACTLY_ONE -> verb.name() + " needs either " + names;
        };
    }
}
