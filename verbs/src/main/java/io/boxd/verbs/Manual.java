package io.boxd.verbs;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The manual page in the language of {@code man}, made from the table of verbs. */
public final class Manual {
    private static final List<String> STATUSES = List.of(
            "0", "done",
            "1", "failed",
            "2", "the line is not right, or the server refused a value",
            "3", "not found",
            "4", "exists already, or is in the wrong state",
            "5", "not allowed",
            "6", "quota or resources",
            "7", "too late, or no server",
            "124", "a command was over its --timeout",
            "125", "boxd itself failed, so the command has no status");

    private static final List<String> VARIABLES = List.of(
            "BOXD_URL", "the server to use, as https://HOST:PORT, instead of any context",
            "BOXD_TOKEN", "the token to use, instead of the one that is kept",
            "BOXD_CA", "a PEM file with the only certificates to trust",
            "BOXD_HOME", "the instance on this machine to use (/var/lib/boxd)",
            "NO_COLOR", "if it is set and not empty, nothing is coloured",
            "XDG_CONFIG_HOME", "the folder in which boxd/contexts.json is kept (~/.config)");

    private static final int LONGEST_LINE = 70;

    private final StringBuilder page = new StringBuilder();
    private final String program;

    private Manual(String program) {
        this.program = program;
    }

    /** The whole page; {@code date} as {@code 2026-01-31}. */
    public static String page(Collection<Verb> verbs, String program, String version, String date) {
        return new Manual(program).write(List.copyOf(verbs), version, date);
    }

    private String write(List<Verb> verbs, String version, String date) {
        // The date is the one word that is no text.
        page.append(".TH " + program.toUpperCase(Locale.ROOT) + " 1 " + date + " \"" + quoted(program + " " + version)
                + "\" \"User Commands\"\n");
        request("SH", "NAME");
        text(program + " - instant, persistent, forkable Linux machines");
        request("SH", "SYNOPSIS");
        page.append(".B ").append(program).append('\n');
        page.append(".I VERB\n.RI [ OPTIONS ]\n").append(escaped("…")).append('\n');
        request("SH", "DESCRIPTION");
        filled("Options stand before or after the box, up to the first word of a command; -- ends them."
                + " Values of long options follow after a blank or after =.");
        for (Topic topic : Topic.values()) {
            List<Verb> those =
                    verbs.stream().filter(verb -> verb.topic() == topic).toList();
            if (!those.isEmpty()) {
                request("SH", topic.title().toUpperCase(Locale.ROOT));
                those.forEach(this::verb);
            }
        }
        request("SH", "OPTIONS OF EVERY VERB");
        CommandLine.commonOptions().forEach(option -> item(option(option), option.help()));
        request("PP");
        filled("What needs no server takes no --context: "
                + verbs.stream().filter(Verb::isLocal).map(Verb::name).collect(Collectors.joining(", ")) + ".");
        section("EXIT STATUS", STATUSES);
        section("ENVIRONMENT", VARIABLES);
        return page.toString();
    }

    private void verb(Verb verb) {
        request("SS", program + " " + Help.usage(verb));
        text(Help.sentence(verb));
        if (!verb.aliases().isEmpty()) {
            request("PP");
            text("Also called: " + String.join(", ", verb.aliases()) + ".");
        }
        verb.words().forEach(word -> item(word.value(), word.help()));
        verb.options().forEach(option -> item(option(option), option.help()));
        verb.rules().forEach(rule -> {
            request("PP");
            filled("Note: " + rule.text(verb) + ".");
        });
        request("PP");
        text(verb.examples().size() == 1 ? "Example:" : "Examples:");
        request("PP");
        page.append(".nf\n.RS\n");
        verb.examples().forEach(example -> text(program + " " + example));
        page.append(".RE\n.fi\n");
    }

    private static String option(Parameter option) {
        String value = option.value().isEmpty() ? "" : " " + option.value();
        return (option.hasLetter() ? "-" + option.letter() + ", " : "") + "--" + option.name() + value;
    }

    private void section(String title, List<String> pairs) {
        request("SH", title);
        for (int i = 0; i < pairs.size(); i += 2) {
            item(pairs.get(i), pairs.get(i + 1));
        }
    }

    private void item(String name, String about) {
        page.append(".TP\n.B \"").append(quoted(name)).append("\"\n");
        text(about);
    }

    private void request(String name, String... words) {
        page.append('.').append(name);
        for (String word : words) {
            page.append(" \"").append(quoted(word)).append('"');
        }
        page.append('\n');
    }

    /** Text of any length, in lines that are short enough to be read in the source. */
    private void filled(String text) {
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            if (line.length() + word.length() > LONGEST_LINE) {
                text(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        text(line.toString());
    }

    private void text(String line) {
        boolean looksLikeRequest = line.startsWith(".") || line.startsWith("'");
        page.append(looksLikeRequest ? "\\&" : "").append(escaped(line)).append('\n');
    }

    private static String quoted(String text) {
        return escaped(text).replace("\"", "\\(dq");
    }

    /** Printers make signs of their own of some of ours, and do not know others. */
    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        text.codePoints().forEach(each -> {
            switch (each) {
                case '\\' -> escaped.append("\\e");
                case '-' -> escaped.append("\\-");
                case '\'' -> escaped.append("\\(aq");
                case '`' -> escaped.append("\\(ga");
                case '^' -> escaped.append("\\(ha");
                case '~' -> escaped.append("\\(ti");
                default -> {
                    if (each < 0x7F) {
                        escaped.appendCodePoint(each);
                    } else {
                        escaped.append(String.format(Locale.ROOT, "\\[u%04X]", each));
                    }
                }
            }
        });
        return escaped.toString();
    }
}
