package io.boxd.console;

import io.boxd.verbs.CommandLine;
import io.boxd.verbs.Parameter;
import io.boxd.verbs.ParameterType;
import io.boxd.verbs.Verb;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What could come next on a line that is being typed, as the table of verbs and the server say. */
public final class Proposals {
    /** A word, and what it means. */
    public record Proposal(String word, String about) {}

    /** All that could come; {@code files} if names of files could, too. */
    public record Next(List<Proposal> words, boolean files) {
        public static final Next NOTHING = new Next(List.of(), false);

        public Next {
            words = List.copyOf(words);
        }
    }

    /** The most words that a verb's name has. */
    private static final int LONGEST_NAME = 3;

    /** Where names come from. */
    public interface Sources {
        /** Names of what a server has; of the usual one, if none was said. */
        Names of(@Nullable String context);
    }

    private final List<Verb> verbs;
    private final Sources sources;

    /** @param verbs that can be said at this door */
    public Proposals(Collection<Verb> verbs, Sources sources) {
        this.verbs = List.copyOf(verbs);
        this.sources = sources;
    }

    /**
     * What could stand where the line ends.
     *
     * @param line without the program; its last word is the one that is being typed, perhaps empty so far
     */
    public Next next(List<String> line) {
        if (line.isEmpty()) {
            return Next.NOTHING;
        }
        String current = line.getLast();
        Next all = all(line.subList(0, line.size() - 1), current);
        return new Next(
                all.words().stream()
                        .filter(proposal -> proposal.word().startsWith(current))
                        .toList(),
                all.files());
    }

    private Next all(List<String> before, String current) {
        if (before.isEmpty()) {
            return words(Stream.concat(verbs(List.of()), Stream.of(new Proposal("help", "what a verb does"))));
        }
        if (before.getFirst().equals("help")) {
            return words(verbs(before.subList(1, before.size())));
        }
        List<Proposal> longer = verbs(before).toList();
        for (int count = Math.min(LONGEST_NAME, before.size()); count > 0; count--) {
            Optional<Verb> verb = named(before.subList(0, count));
            if (verb.isPresent()) {
                Next next = new Line(verb.get(), before.subList(count, before.size())).next(current);
                return new Next(
                        Stream.concat(longer.stream(), next.words().stream()).toList(), next.files());
            }
        }
        return words(longer.stream());
    }

    private static Next words(Stream<Proposal> proposals) {
        return new Next(proposals.distinct().toList(), false);
    }

    private Optional<Verb> named(List<String> words) {
        String name = String.join(" ", words);
        return verbs.stream().filter(verb -> verb.isNamed(name)).findFirst();
    }

    /** The next words of all verbs that begin so. */
    private Stream<Proposal> verbs(List<String> begun) {
        Map<String, Proposal> words = new LinkedHashMap<>();
        for (Verb verb : verbs) {
            List<String> names = List.of(verb.name().split(" ", -1));
            if (names.size() > begun.size() && names.subList(0, begun.size()).equals(begun)) {
                boolean last = names.size() == begun.size() + 1;
                String word = names.get(begun.size());
                words.putIfAbsent(
                        word,
                        new Proposal(word, last ? verb.summary() : verb.topic().title()));
            }
        }
        return words.values().stream();
    }

    /** A line behind its verb, read as {@link CommandLine} reads it, but without judging it. */
    private final class Line {
        private final Verb verb;
        private final Deque<Parameter> words;
        private final Map<String, String> said = new LinkedHashMap<>();
        private final List<String> many = new ArrayList<>();
        private @Nullable Parameter pending;
        private boolean options = true;

        Line(Verb verb, List<String> typed) {
            this.verb = verb;
            this.words = new ArrayDeque<>(verb.words());
            typed.forEach(this::read);
        }

        private void read(String typed) {
            Parameter option = pending;
            if (option != null) {
                said.put(option.field(), typed);
                pending = null;
            } else if (options && typed.equals("--")) {
                options = false;
            } else if (options && typed.startsWith("-") && typed.length() > 1) {
                option(typed);
            } else {
                word(typed);
            }
        }

        private void option(String typed) {
            int equals = typed.indexOf('=');
            Parameter option = named(equals < 0 ? typed : typed.substring(0, equals));
            if (option == null || option.type() == ParameterType.FLAG) {
                return;
            }
            if (equals >= 0) {
                said.put(option.field(), typed.substring(equals + 1));
            } else {
                pending = option;
            }
        }

        private @Nullable Parameter named(String typed) {
            return all().filter(option -> typed.equals("--" + option.name())
                            || (option.hasLetter() && typed.equals("-" + option.letter())))
                    .findFirst()
                    .orElse(null);
        }

        private Stream<Parameter> all() {
            return Stream.concat(verb.options().stream(), CommandLine.commonOptions(verb).stream());
        }

        private void word(String typed) {
            Parameter word = words.peekFirst();
            if (word != null && word.type().isMany()) {
                many.add(typed);
                options &= word.type() != ParameterType.WORDS;
            } else if (word != null) {
                said.put(word.field(), typed);
                words.removeFirst();
            }
        }

        Next next(String current) {
            Parameter option = pending;
            if (option != null) {
                return values(option, "");
            }
            int equals = current.indexOf('=');
            if (options && current.startsWith("--") && equals > 0) {
                Parameter named = named(current.substring(0, equals));
                return named == null ? Next.NOTHING : values(named, current.substring(0, equals + 1));
            }
            Parameter word = words.peekFirst();
            if (options && (current.startsWith("-") || (word == null && current.isEmpty()))) {
                return words(all().filter(each -> each.type().isRepeated() || !said.containsKey(each.field()))
                        .map(each -> new Proposal("--" + each.name(), each.help())));
            }
            return word == null ? Next.NOTHING : values(word, "");
        }

        /** @param prefix what stands before the value in the same word */
        private Next values(Parameter parameter, String prefix) {
            Names names = sources.of(said.get("context"));
            List<Proposal> values = switch (parameter.type()) {
                case BOX -> names.boxes("");
                case BOXES -> without(names.boxes(""), many);
                case PLACE -> names.boxes(":");
                case SNAPSHOT -> names.snapshots();
                case EXECUTION -> names.executions(said.getOrDefault("box", ""));
                case SIGNAL -> names.signals();
                case TEXT, NAME -> named(parameter, names);
                case COUNT,
                        SIZE,
                        DURATION,
                        DURATION_OR_OFF,
                        CHECKPOINTS,
                        OFFSET,
                        FLAG,
                        VARIABLES,
                        LABELS,
                        LABEL_CHANGES,
                        WORDS,
                        FILE -> List.of();
            };
            Stream<Proposal> choices = parameter.choices().stream().map(choice -> new Proposal(choice, ""));
            boolean files = parameter.type() == ParameterType.FILE
                    || parameter.type() == ParameterType.PLACE
                    || parameter.value().equals("FILE");
            return new Next(
                    Stream.concat(choices, values.stream())
                            .map(value -> new Proposal(prefix + value.word(), value.about()))
                            .toList(),
                    files);
        }

        private static List<Proposal> named(Parameter parameter, Names names) {
            return switch (parameter.value()) {
                case "CONTEXT" -> names.contexts();
                case "IMAGE" -> names.images();
                case "WEBHOOK" -> names.webhooks();
                default -> List.of();
            };
        }

        private static List<Proposal> without(List<Proposal> proposals, List<String> words) {
            return proposals.stream()
                    .filter(proposal -> !words.contains(proposal.word()))
                    .toList();
        }
    }
}
