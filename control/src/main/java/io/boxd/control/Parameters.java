package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Json;
import io.boxd.verbs.Parameter;
import io.boxd.verbs.ParameterType;
import io.boxd.verbs.Rule;
import io.boxd.verbs.Verb;
import io.boxd.worker.RequestKey;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The values that were said with a verb, checked against the table: nothing unknown, nothing of another type. */
final class Parameters {
    private final Map<String, JsonNode> values = new HashMap<>();
    private Optional<RequestKey> key = Optional.empty();

    private Parameters() {}

    /** @param more fields that a door may say besides, with their types */
    static Parameters of(Verb verb, ObjectNode said, Map<String, ParameterType> more) {
        Map<String, ParameterType> types = new HashMap<>(more);
        for (Parameter parameter : verb.parameters()) {
            types.put(parameter.field(), parameter.type());
        }
        Parameters parameters = new Parameters();
        for (Map.Entry<String, JsonNode> field : said.properties()) {
            ParameterType type = types.get(field.getKey());
            if (type == null) {
                throw Failures.invalid(
                        verb.name() + " has no parameter '" + Printable.line(field.getKey()) + "'",
                        "It has "
                                + String.join(
                                        ", ", types.keySet().stream().sorted().toList()) + ".");
            }
            check(field.getKey(), type, field.getValue());
            parameters.values.put(field.getKey(), field.getValue());
        }
        for (Parameter parameter : verb.parameters()) {
            boolean needed =
                    parameter.place() == Parameter.Place.REQUIRED_WORD && parameter.type() != ParameterType.WORDS;
            if (needed && !parameters.values.containsKey(parameter.field())) {
                throw Failures.invalid(verb.name() + " needs '" + parameter.field() + "': " + parameter.help());
            }
        }
        verb.rules().forEach(parameters::keep);
        return parameters;
    }

    /** The table's rules hold at every door; a command's words have other fields here. */
    private void keep(Rule rule) {
        Set<String> said = new HashSet<>(values.keySet());
        values.forEach((field, value) -> {
            if (value.isBoolean() && !value.asBoolean()) {
                said.remove(field);
            }
        });
        if (said.contains("argv") || said.contains("script") || said.contains(RunOrders.FILES)) {
            said.add("command");
        }
        if (!rule.holds(said)) {
            boolean none = rule.fields().stream().noneMatch(said::contains);
            String fields = "'" + String.join("', '", rule.fields()) + "'";
            String shown = fields.replace("'command'", "'argv', 'script'");
            throw Failures.invalid(none ? "one is needed of " + shown : shown + " exclude each other");
        }
    }

    private static void check(String field, ParameterType type, JsonNode value) {
        switch (type) {
            case TEXT, NAME, BOX, SNAPSHOT, EXECUTION, SIGNAL, FILE, PLACE ->
                require(value.isString(), field, "a string");
            case COUNT, SIZE, DURATION -> require(isNumber(value, 1), field, "a whole number from 1");
            case DURATION_OR_OFF -> require(isNumber(value, 0), field, "a whole number of seconds, 0 for off");
            case OFFSET -> require(isNumber(value, 0), field, "a whole number from 0");
            case CHECKPOINTS ->
                require(
                        isNumber(value, 0) || value.asString("").equals("exec"),
                        field,
                        "a whole number of seconds, 0 for off, or \"exec\"");
            case FLAG -> require(value.isBoolean(), field, "true or false");
            case VARIABLES, LABELS -> require(isTexts(value, false), field, "an object of strings");
            case LABEL_CHANGES -> require(isTexts(value, true), field, "an object of strings and nulls");
            case WORDS, BOXES -> require(isWords(value), field, "an array of at least one string");
        }
    }

    private static void require(boolean fits, String field, String what) {
        if (!fits) {
            throw Failures.invalid("'" + field + "' is " + what);
        }
    }

    private static boolean isNumber(JsonNode value, long least) {
        // A whole number may be written as 2.0, too.
        boolean whole = value.isIntegralNumber()
                || (value.isFloatingPointNumber() && value.asDouble() == Math.rint(value.asDouble()));
        return whole && value.canConvertToLong() && value.asLong() >= least;
    }

    private static boolean isTexts(JsonNode value, boolean nulls) {
        return value.isObject()
                && value.properties().stream()
                        .allMatch(entry -> entry.getValue().isString()
                                || (nulls && entry.getValue().isNull()));
    }

    private static boolean isWords(JsonNode value) {
        if (!value.isArray() || value.isEmpty()) {
            return false;
        }
        for (JsonNode word : value) {
            if (!word.isString()) {
                return false;
            }
        }
        return true;
    }

    /** The same as a request that may be repeated under this key. */
    Parameters repeatable(Verb verb, String owner, Optional<String> name) {
        key = name.map(said -> new RequestKey(owner, said, hash(verb)));
        return this;
    }

    /** Of what was said, in whichever order. */
    private String hash(Verb verb) {
        Map<String, JsonNode> sorted = new TreeMap<>(values);
        String text = verb.name() + "\n" + Json.write(sorted);
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    /** By which the request is known again when it is repeated. */
    Optional<RequestKey> key() {
        return key;
    }

    boolean has(String field) {
        return values.containsKey(field);
    }

    Optional<String> text(String field) {
        return Optional.ofNullable(values.get(field)).map(JsonNode::asString);
    }

    /** One that the table requires. */
    String required(String field) {
        return text(field).orElseThrow(() -> Failures.invalid("'" + field + "' is missing"));
    }

    Optional<Long> number(String field) {
        return Optional.ofNullable(values.get(field)).map(JsonNode::asLong);
    }

    /** A whole number that is not absurd. */
    Optional<Integer> count(String field, int most) {
        return number(field).map(count -> {
            if (count > most) {
                throw Failures.invalid("'" + field + "' is at most " + most);
            }
            return Math.toIntExact(count);
        });
    }

    Optional<Duration> seconds(String field) {
        return number(field).map(seconds -> {
            if (seconds > Limits.LONGEST_TIME_SECONDS) {
                throw Failures.invalid("'" + field + "' is longer than ten years");
            }
            return Duration.ofSeconds(seconds);
        });
    }

    boolean flag(String field) {
        return Optional.ofNullable(values.get(field)).map(JsonNode::asBoolean).orElse(false);
    }

    Map<String, String> texts(String field) {
        Map<String, String> texts = new LinkedHashMap<>();
        changes(field).forEach((key, value) -> value.ifPresent(text -> texts.put(key, text)));
        return texts;
    }

    Map<String, Optional<String>> changes(String field) {
        Map<String, Optional<String>> changes = new LinkedHashMap<>();
        JsonNode object = values.get(field);
        if (object != null) {
            for (Map.Entry<String, JsonNode> entry : object.properties()) {
                JsonNode value = entry.getValue();
                changes.put(entry.getKey(), value.isNull() ? Optional.empty() : Optional.of(value.asString()));
            }
        }
        return changes;
    }

    List<String> words(String field) {
        List<String> words = new ArrayList<>();
        JsonNode array = values.get(field);
        if (array != null) {
            array.forEach(word -> words.add(word.asString()));
        }
        return words;
    }

    /** Refuses two that exclude each other. */
    void notBoth(String one, String other) {
        if (has(one) && has(other)) {
            throw Failures.invalid("'" + one + "' and '" + other + "' exclude each other");
        }
    }

    BoxdException missing(String field, String hint) {
        return Failures.invalid("'" + field + "' is missing", hint);
    }

    boolean isText(String field) {
        JsonNode value = values.get(field);
        return value != null && value.isString();
    }
}
