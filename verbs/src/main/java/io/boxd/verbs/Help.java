package io.boxd.verbs;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** The help that is shown for verbs, made from their table. */
public final class Help {
    private static final int TEXT_COLUMN = 28;

    private Help() {}

    /** The usage in one line, without the name of the program. */
    static String usage(Verb verb) {
        StringBuilder usage = new StringBuilder(verb.name());
        if (!verb.options().isEmpty()) {
            usage.append(" [OPTIONS]");
        }
        for (Parameter word : verb.words()) {
            boolean required = word.place() == Parameter.Place.REQUIRED_WORD;
            String shown = word.type() == ParameterType.WORDS ? word.value() + "…" : word.value();
            usage.append(required ? " " + shown : " [" + shown + "]");
        }
        return usage.toString();
    }

    /** Everything about one verb; {@code program} is how the reader calls it. */
    public static String of(Verb verb, String program) {
        List<String> lines = new ArrayList<>();
        lines.add(program + " " + usage(verb));
        lines.add("");
        lines.add(sentence(verb));
        if (!verb.aliases().isEmpty()) {
            lines.add("Also called: " + String.join(", ", verb.aliases()));
        }
        lines.add("");
        verb.words().forEach(word -> lines.add(row("  " + word.value(), word.help())));
        verb.options().forEach(option -> lines.add(row("  " + left(option), option.help())));
        CommandLine.commonOptions(verb).forEach(option -> lines.add(row("  " + left(option), option.help())));
        verb.rules().forEach(rule -> lines.add("  (" + rule.text(verb) + ")"));
        lines.add("");
        lines.add(verb.examples().size() == 1 ? "Example:" : "Examples:");
        verb.examples().forEach(example -> lines.add("  " + program + " " + example));
        return joined(lines);
    }

    static String sentence(Verb verb) {
        String summary = verb.summary();
        return summary.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + summary.substring(1) + ".";
    }

    private static String left(Parameter option) {
        String letter = option.hasLetter() ? "-" + option.letter() + ", " : "    ";
        String value = option.value().isEmpty() ? "" : " " + option.value();
        return letter + "--" + option.name() + value;
    }

    /** All verbs, by topic. */
    public static String overview(Collection<Verb> verbs, String program) {
        List<String> lines = new ArrayList<>();
        lines.add(program + ": instant, persistent, forkable Linux machines");
        lines.add("");
        lines.add("Usage: " + program + " VERB [OPTIONS] …");
        for (Topic topic : Topic.values()) {
            List<Verb> those =
                    verbs.stream().filter(verb -> verb.topic() == topic).toList();
            if (!those.isEmpty()) {
                lines.add("");
                lines.add(topic.title());
                those.forEach(verb -> lines.add(row("  " + names(verb), verb.summary())));
            }
        }
        lines.add("");
        lines.add("Every verb takes --json and --help.");
        lines.add("Start with '" + program + " up', then '" + program + " new --name=task-1'.");
        return joined(lines);
    }

    /** The verbs of one family, such as {@code snapshot}. */
    public static String family(String family, Collection<Verb> verbs, String program) {
        List<String> lines = new ArrayList<>();
        lines.add("Usage: " + program + " " + family + " "
                + verbs.stream()
                        .map(verb -> verb.name().substring(family.length() + 1))
                        .collect(Collectors.joining("|"))
                + " …");
        lines.add("");
        verbs.forEach(verb -> lines.add(row("  " + usage(verb), verb.summary())));
        return joined(lines);
    }

    private static String names(Verb verb) {
        return verb.aliases().isEmpty() || verb.name().contains(" ")
                ? verb.name()
                : verb.name() + " (" + String.join(", ", verb.aliases()) + ")";
    }

    private static String row(String left, String text) {
        return left.length() < TEXT_COLUMN
                ? left + " ".repeat(TEXT_COLUMN - left.length()) + text
                : left + "\n" + " ".repeat(TEXT_COLUMN) + text;
    }

    private static String joined(List<String> lines) {
        return String.join("\n", lines) + "\n";
    }
}
