package io.boxd.verbs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Understands a typed line: which verb, and what is said with it. */
public final class CommandLine {
    private static final Parameter JSON = Parameter.flag("json", "print one JSON value instead of text");
    private static final Parameter HELP = Parameter.flag("help", "this text").letter('h');

    static final Parameter CONTEXT =
            Parameter.option("context", ParameterType.TEXT, "CONTEXT", "which server; see context list");

    private final Collection<Verb> verbs;
    private final Values values;

    /** Understands these verbs; {@code files} gives the content of a file on the caller's side, or refuses. */
    public CommandLine(Collection<Verb> verbs, UnaryOperator<String> files) {
        this.verbs = List.copyOf(verbs);
        this.values = new Values(files);
    }

    /** Options that every verb takes, or every one that asks a server. */
    public static List<Parameter> commonOptions(Verb verb) {
        return verb.isLocal() ? List.of(JSON, HELP) : commonOptions();
    }

    static List<Parameter> commonOptions() {
        return List.of(CONTEXT, JSON, HELP);
    }

    public Said parse(List<String> line) {
        Deque<String> left = new ArrayDeque<>(line);
        if (left.isEmpty()) {
            return new Said.Help(List.of(), null);
        }
        String first = left.removeFirst();
        if (first.equals("help")) {
            return helpOn(left);
        }
        if (first.equals("--help") || first.equals("-h")) {
            return new Said.Help(List.of(), null);
        }
        if (first.equals("--version")) {
            first = "version";
        }
        return parse(first, left);
    }

    /** A name goes on as long as there are verbs that do; one that is a verb itself need not. */
    private Said parse(String name, Deque<String> left) {
        List<Verb> family = family(name);
        String next = left.peekFirst();
        boolean goesOn = next != null
                && (isVerb(name + " " + next) || !family(name + " " + next).isEmpty());
        if (family.isEmpty() || (isVerb(name) && !goesOn)) {
            return new Line(named(name), left).parse();
        }
        if (next == null || next.equals("--help") || next.equals("-h")) {
            return new Said.Help(family, name);
        }
        left.removeFirst();
        return goesOn ? parse(name + " " + next, left) : new Line(named(name + " " + next), left).parse();
    }

    private boolean isVerb(String name) {
        return verbs.stream().anyMatch(verb -> verb.isNamed(name));
    }

    private Said helpOn(Deque<String> words) {
        String name = String.join(" ", words);
        List<Verb> family = family(name);
        if (name.isEmpty() || (!family.isEmpty() && !isVerb(name))) {
            return new Said.Help(family, name.isEmpty() ? null : name);
        }
        return new Said.Help(List.of(named(name)), null);
    }

    /** The verbs of several words that start with these. */
    private List<Verb> family(String first) {
        return verbs.stream()
                .filter(verb -> verb.name().startsWith(first + " "))
                .toList();
    }

    private Verb named(String name) {
        return verbs.stream().filter(verb -> verb.isNamed(name)).findFirst().orElseThrow(() -> {
            List<String> names = verbs.stream()
                    .flatMap(verb -> java.util.stream.Stream.concat(
                            java.util.stream.Stream.of(verb.name()), verb.aliases().stream()))
                    .toList();
            String hint = Nearest.to(name, names)
                            .map(near -> "Did you mean '" + near + "'? ")
                            .orElse("") + "'help' lists all verbs.";
            return Mistake.of("there is no verb " + Mistake.quoted(name), hint);
        });
    }

    /** One line behind its verb, taken word by word. */
    private final class Line {
        private final Verb verb;
        private final Deque<String> left;
        private final Deque<Parameter> words;
        private final Map<String, @Nullable Object> said = new LinkedHashMap<>();
        private boolean json;
        private boolean help;

        Line(Verb verb, Deque<String> left) {
            this.verb = verb;
            this.left = left;
            this.words = new ArrayDeque<>(verb.words());
        }

        Said parse() {
            boolean options = true;
            while (!left.isEmpty() && !help) {
                String typed = left.removeFirst();
                if (options && typed.equals("--")) {
                    options = false;
                } else if (options && typed.startsWith("--")) {
                    longOption(typed.substring(2));
                } else if (options && typed.startsWith("-") && typed.length() > 1) {
                    letters(typed.substring(1));
                } else {
                    word(typed);
                }
            }
            if (help) {
                return new Said.Help(List.of(verb), null);
            }
            complete();
            return new Said.Do(new Request(verb, said, json));
        }

        private void longOption(String typed) {
            int equals = typed.indexOf('=');
            String name = equals < 0 ? typed : typed.substring(0, equals);
            Parameter option = option(name);
            if (option.type() == ParameterType.FLAG) {
                if (equals >= 0) {
                    throw Mistake.of("--" + name + " takes no value", null);
                }
                flag(option);
            } else {
                put(option, equals >= 0 ? typed.substring(equals + 1) : next(option));
            }
        }

        private void letters(String typed) {
            for (int i = 0; i < typed.length(); i++) {
                char letter = typed.charAt(i);
                Parameter option = all().stream()
                        .filter(each -> each.letter() == letter)
                        .findFirst()
                        .orElseThrow(() -> unknown("-" + letter, Optional.empty()));
                if (option.type() != ParameterType.FLAG) {
                    String rest = typed.substring(i + 1);
                    put(option, rest.isEmpty() ? next(option) : rest);
                    return;
                }
                flag(option);
            }
        }

        private List<Parameter> all() {
            List<Parameter> all = new ArrayList<>(verb.options());
            all.addAll(commonOptions(verb));
            return all;
        }

        private Parameter option(String name) {
            return all().stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> {
                        List<String> names = all().stream().map(Parameter::name).toList();
                        return unknown("--" + name, Nearest.to(name, names).map(near -> "--" + near));
                    });
        }

        private RuntimeException unknown(String option, Optional<String> near) {
            String hint = near.map(each -> "Did you mean " + each + "? ").orElse("") + "See 'help " + verb.name()
                    + "'. What belongs to a command stands behind its first word, or behind --.";
            return Mistake.of(verb.name() + " has no option " + Mistake.quoted(option), hint);
        }

        private String next(Parameter option) {
            String value = left.pollFirst();
            if (value == null) {
                throw Mistake.of(
                        "--" + option.name() + " needs a value: --" + option.name() + " " + option.value(), null);
            }
            return value;
        }

        private void flag(Parameter option) {
            if (option.equals(JSON)) {
                json = true;
            } else if (option.equals(HELP)) {
                help = true;
            } else {
                said.put(option.field(), true);
            }
        }

        private void put(Parameter parameter, String typed) {
            Object before = said.get(parameter.field());
            boolean once = parameter.isOption() && !parameter.type().isRepeated();
            if (once && before != null) {
                throw Mistake.of(parameter.shown() + " is given twice", null);
            }
            said.put(parameter.field(), values.add(parameter, before, typed));
        }

        private void word(String typed) {
            Parameter parameter = words.peekFirst();
            if (parameter == null) {
                throw Mistake.of(
                        verb.name() + " takes no further word: " + Mistake.quoted(typed), "Usage: " + Help.usage(verb));
            }
            if (!parameter.type().isMany()) {
                words.removeFirst();
            }
            put(parameter, typed);
            if (parameter.type() == ParameterType.WORDS) {
                left.forEach(each -> put(parameter, each));
                left.clear();
            }
        }

        private void complete() {
            for (Parameter parameter : verb.words()) {
                boolean required = parameter.place() == Parameter.Place.REQUIRED_WORD;
                if (required && !said.containsKey(parameter.field())) {
                    throw Mistake.of(
                            verb.name() + " needs " + parameter.value() + ", " + parameter.help(),
                            "Usage: " + Help.usage(verb));
                }
            }
            for (Rule rule : verb.rules()) {
                if (!rule.holds(said.keySet())) {
                    throw Mistake.of(rule.text(verb), "Usage: " + Help.usage(verb));
                }
            }
        }
    }
}
