package io.boxd.verbs;

import io.boxd.common.Amounts;
import io.boxd.common.Shapes;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Turns what was typed into the values that {@link ParameterType} describes. */
final class Values {
    private static final Pattern REFERENCE = Pattern.compile(ParameterType.REFERENCE_PATTERN);
    private static final Pattern SIGNAL = Pattern.compile("(?:SIG)?([A-Z][A-Z0-9+-]{1,9})|([1-9][0-9]?)");
    private static final String LONGEST_DURATION = "3650d";
    private static final long LONGEST_SECONDS = 3650L * 86_400;

    /** Reads a file on the caller's side; a door without one refuses. */
    private final UnaryOperator<String> files;

    Values(UnaryOperator<String> files) {
        this.files = files;
    }

    /** The value with this text in it; {@code before} is what was said of the same parameter so far. */
    Object add(Parameter parameter, @Nullable Object before, String typed) {
        return switch (parameter.type()) {
            case TEXT, PLACE -> parameter.isClosed() ? choice(parameter, typed) : text(parameter, typed);
            case NAME ->
                matching(
                        name -> Shapes.isName(name) && !Shapes.isLikeAPort(name),
                        typed,
                        "a name has small letters, digits and hyphens inside, at most 40, and"
                                + " does not start with a number and a hyphen");
            case BOX -> matching(Values::isReference, typed, "a box is given by its name or its id; see list");
            case SNAPSHOT ->
                matching(Values::isReference, typed, "a snapshot is given by its id or label; see snapshot list");
            case EXECUTION -> matching(Values::isReference, typed, "an execution is given by its id; see ps");
            case COUNT -> count(parameter, typed);
            case SIZE -> size(parameter, typed);
            case DURATION -> duration(parameter, typed, "such as 90, 30s, 10m, 2h or 7d");
            case DURATION_OR_OFF ->
                typed.equals("off") ? (Object) 0L : duration(parameter, typed, "such as 30s, 10m or 2h, or off");
            case OFFSET -> offset(parameter, typed);
            case CHECKPOINTS -> checkpoints(parameter, typed);
            case FLAG -> throw Mistake.of(parameter.shown() + " takes no value", null);
            case VARIABLES -> pair(parameter, before, typed, Shapes::isVariable, "NAME=VALUE, as in -e CI=1");
            case LABELS -> pair(parameter, before, typed, Shapes::isLabelKey, "key=value, as in --label job=nightly");
            case LABEL_CHANGES -> labelChange(parameter, before, typed);
            case SIGNAL -> signal(typed);
            case WORDS -> appended(before, typed);
            case BOXES ->
                appended(
                        before, matching(Values::isReference, typed, "a box is given by its name or its id; see list"));
            case FILE -> files.apply(typed);
        };
    }

    private static String choice(Parameter parameter, String typed) {
        List<String> choices = parameter.choices();
        if (!choices.contains(typed)) {
            throw Mistake.of(
                    Mistake.quoted(typed) + " cannot be right: say "
                            + String.join(", ", choices.subList(0, choices.size() - 1)) + " or " + choices.getLast(),
                    null);
        }
        return typed;
    }

    private static String text(Parameter parameter, String typed) {
        if (typed.isEmpty()) {
            throw Mistake.of(parameter.shown() + " is empty", null);
        }
        return typed;
    }

    private static boolean isReference(String typed) {
        return REFERENCE.matcher(typed).matches();
    }

    private static String matching(Predicate<String> shape, String typed, String hint) {
        if (!shape.test(typed)) {
            throw Mistake.of(Mistake.quoted(typed) + " cannot be right: " + hint, null);
        }
        return typed;
    }

    private static long count(Parameter parameter, String typed) {
        if (!typed.matches("[1-9][0-9]{0,8}")) {
            throw wrong(parameter, typed, "a whole number from 1");
        }
        return Long.parseLong(typed);
    }

    private static long offset(Parameter parameter, String typed) {
        if (!typed.matches("[0-9]{1,18}")) {
            throw wrong(parameter, typed, "a whole number from 0");
        }
        return Long.parseLong(typed);
    }

    private static long size(Parameter parameter, String typed) {
        Optional<Long> bytes = Amounts.bytes(typed);
        if (bytes.isPresent() && bytes.get() > 0) {
            return bytes.get();
        }
        throw wrong(parameter, typed, "a size such as 512M or 8G");
    }

    private static long duration(Parameter parameter, String typed, String right) {
        Optional<Duration> time = Amounts.time(typed);
        if (time.isEmpty() || typed.equals("off")) {
            throw wrong(parameter, typed, "a time " + right);
        }
        long seconds = time.get().toSeconds();
        if (seconds < 1 || seconds > LONGEST_SECONDS) {
            throw wrong(parameter, typed, "a time from 1s to " + LONGEST_DURATION);
        }
        return seconds;
    }

    private static Object checkpoints(Parameter parameter, String typed) {
        return switch (typed) {
            case "off" -> 0L;
            case "exec" -> typed;
            default -> duration(parameter, typed, "such as 10m, or exec (before each command), or off");
        };
    }

    private static Map<String, @Nullable Object> pair(
            Parameter parameter, @Nullable Object before, String typed, Predicate<String> key, String right) {
        int equals = typed.indexOf('=');
        if (equals < 0 || !key.test(typed.substring(0, equals))) {
            throw wrong(parameter, typed, right);
        }
        Map<String, @Nullable Object> pairs = copy(before);
        pairs.put(typed.substring(0, equals), typed.substring(equals + 1));
        return pairs;
    }

    private static Map<String, @Nullable Object> labelChange(
            Parameter parameter, @Nullable Object before, String typed) {
        String right = "key=value to put a label on, or key- to take it off";
        if (typed.indexOf('=') >= 0) {
            return pair(parameter, before, typed, Shapes::isLabelKey, right);
        }
        String key = typed.endsWith("-") ? typed.substring(0, typed.length() - 1) : "";
        if (!Shapes.isLabelKey(key)) {
            throw wrong(parameter, typed, right);
        }
        Map<String, @Nullable Object> changes = copy(before);
        changes.put(key, null);
        return changes;
    }

    private static Map<String, @Nullable Object> copy(@Nullable Object before) {
        Map<String, @Nullable Object> pairs = new LinkedHashMap<>();
        if (before instanceof Map<?, ?> map) {
            map.forEach((key, value) -> pairs.put(String.valueOf(key), value));
        }
        return pairs;
    }

    private static String signal(String typed) {
        Matcher matcher = SIGNAL.matcher(typed.toUpperCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw Mistake.of(Mistake.quoted(typed) + " is no signal: say INT, TERM, KILL or a number", null);
        }
        String name = matcher.group(1);
        return name == null ? matcher.group(2) : name;
    }

    private static List<Object> appended(@Nullable Object before, String word) {
        List<Object> words = new java.util.ArrayList<>();
        if (before instanceof List<?> list) {
            list.forEach(each -> words.add(String.valueOf(each)));
        }
        words.add(word);
        return words;
    }

    private static RuntimeException wrong(Parameter parameter, String typed, String right) {
        return Mistake.of(parameter.shown() + " " + Mistake.quoted(typed) + " cannot be right: say " + right, null);
    }
}
