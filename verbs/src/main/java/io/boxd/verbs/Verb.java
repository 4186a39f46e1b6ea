package io.boxd.verbs;

import java.util.List;

/**
 * One thing that can be said, in the same words at every door.
 *
 * @param name one word to three, as in {@code snapshot save}
 * @param aliases other names for it
 * @param summary what it does, in a line
 * @param rules what must hold between its parameters
 * @param examples command lines as they are typed, the verb first
 * @param creates whether it makes something, once for each key under which it is said
 */
public record Verb(
        String name,
        List<String> aliases,
        Topic topic,
        String summary,
        Route route,
        List<Parameter> parameters,
        List<Rule> rules,
        List<String> examples,
        boolean creates) {
    public Verb {
        aliases = List.copyOf(aliases);
        parameters = List.copyOf(parameters);
        rules = List.copyOf(rules);
        examples = List.copyOf(examples);
    }

    static Verb of(
            Topic topic, String name, String summary, Route route, List<Parameter> parameters, String... examples) {
        return new Verb(name, List.of(), topic, summary, route, parameters, List.of(), List.of(examples), false);
    }

    Verb creating() {
        return new Verb(name, aliases, topic, summary, route, parameters, rules, examples, true);
    }

    Verb also(String... otherNames) {
        return new Verb(name, List.of(otherNames), topic, summary, route, parameters, rules, examples, creates);
    }

    Verb with(Rule... newRules) {
        return new Verb(name, aliases, topic, summary, route, parameters, List.of(newRules), examples, creates);
    }

    public boolean isNamed(String said) {
        return name.equals(said) || aliases.contains(said);
    }

    /** Whether it is done without the server in use. */
    public boolean isLocal() {
        return route.method() == Route.Method.LOCAL;
    }

    /** What somebody must be allowed who says it. */
    public Right right() {
        return Rights.of(name);
    }

    /** Whether everything is as it was afterwards. */
    public boolean reads() {
        return right().reads();
    }

    /** Those that stand in the route's path. */
    public boolean isInPath(Parameter parameter) {
        return route.path().contains("{" + parameter.field() + "}");
    }

    public List<Parameter> options() {
        return parameters.stream().filter(Parameter::isOption).toList();
    }

    public List<Parameter> words() {
        return parameters.stream().filter(parameter -> !parameter.isOption()).toList();
    }
}
