package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.Parameter;
import io.boxd.verbs.Verb;
import io.boxd.verbs.Verbs;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Scripts that let shells complete verbs, options and names of boxes. */
final class Completion {
    private static final String BOXES =
            "boxd list --all --json 2>/dev/null | grep -o '\"name\":\"[^\"]*\"' | cut -d'\"' -f4";

    private Completion() {}

    static String script(String shell) {
        return switch (shell) {
            case "bash" -> bash();
            case "zsh" -> "autoload -U +X bashcompinit && bashcompinit\n" + bash();
            case "fish" -> fish();
            default ->
                throw new BoxdException(
                        ErrorCode.INVALID_ARGUMENT, "there is no completion for that shell: say bash, zsh or fish");
        };
    }

    private static String options(Verb verb) {
        return Stream.concat(verb.options().stream().map(Parameter::name), Stream.of("json", "help"))
                .map(name -> "--" + name)
                .collect(Collectors.joining(" "));
    }

    private static List<String> firstWords() {
        return Verbs.withDoors().stream()
                .map(verb -> verb.name().split(" ", -1)[0])
                .distinct()
                .toList();
    }

    private static String secondWords(String first) {
        return Verbs.withDoors().stream()
                .map(Verb::name)
                .filter(name -> name.startsWith(first + " "))
                .map(name -> name.substring(first.length() + 1).split(" ", -1)[0])
                .distinct()
                .collect(Collectors.joining(" "));
    }

    private static String bash() {
        StringBuilder cases = new StringBuilder();
        for (String first : firstWords()) {
            String seconds = secondWords(first);
            if (!seconds.isEmpty()) {
                cases.append("    \"" + first + " \") words='" + seconds + "' ;;\n");
            }
        }
        for (Verb verb : Verbs.withDoors()) {
            String[] names = verb.name().split(" ", -1);
            String pattern = names.length > 1 ? "\"" + names[0] + " " + names[1] + "\"" : "\"" + verb.name() + " \"*";
            cases.append("    " + pattern + ") words='" + options(verb) + "' ;;\n");
        }
        return """
            # Put this into your shell: source <(boxd completion bash)
            _boxd() {
                local current=${COMP_WORDS[COMP_CWORD]} first=${COMP_WORDS[1]} words
                if [ "$COMP_CWORD" -eq 1 ]; then
                    COMPREPLY=($(compgen -W '%s' -- "$current"))
                    return
                fi
                local second=
                [ "$COMP_CWORD" -gt 2 ] && second=${COMP_WORDS[2]}
                case "$first $second" in
            %s    esac
                case $current in
                -*) ;;
                *) [ "$COMP_CWORD" -eq 2 ] && case $words in -*) words=$(%s) ;; esac ;;
                esac
                COMPREPLY=($(compgen -W "$words" -- "$current"))
            }
            complete -o default -F _boxd boxd
            """.formatted(String.join(" ", firstWords()), cases, BOXES);
    }

    private static String fish() {
        StringBuilder script = new StringBuilder("# Put this into your shell: boxd completion fish | source\n");
        script.append("complete -c boxd -f\n");
        for (Verb verb : Verbs.withDoors()) {
            String[] names = verb.name().split(" ", -1);
            String about = "'" + verb.summary().replace("'", "\\'") + "'";
            String seen = names.length > 1
                    ? "__fish_seen_subcommand_from " + names[0] + "; and __fish_seen_subcommand_from " + names[1]
                    : "__fish_seen_subcommand_from " + names[0];
            script.append(
                    names.length > 1
                            ? "complete -c boxd -n '__fish_seen_subcommand_from " + names[0] + "' -a " + names[1]
                                    + " -d " + about + "\n"
                            : "complete -c boxd -n __fish_use_subcommand -a " + names[0] + " -d " + about + "\n");
            for (Parameter option : verb.options()) {
                script.append("complete -c boxd -n '" + seen + "' -l " + option.name()
                        + (option.hasLetter() ? " -s " + option.letter() : "") + " -d '"
                        + option.help().replace("'", "\\'") + "'\n");
            }
        }
        String boxes = "complete -c boxd -n 'not __fish_use_subcommand' -a '(" + BOXES.replace("'", "\\'") + ")'\n";
        return script.append(boxes).toString();
    }
}
