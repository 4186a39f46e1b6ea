package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.verbs.ParameterType;
import io.boxd.verbs.Verb;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** The parameters of a verb that were said in a query, as the JSON that they would be in a body. */
final class QueryValues {
    private QueryValues() {}

    /** @param more fields besides the table's */
    static ObjectNode of(Verb verb, Map<String, List<String>> query, Map<String, ParameterType> more) {
        Map<String, ParameterType> types = new HashMap<>(more);
        verb.parameters().forEach(parameter -> types.put(parameter.field(), parameter.type()));
        ObjectNode said = Json.object();
        query.forEach((field, values) -> {
            ParameterType type = types.get(field);
            if (type == null) {
                values.forEach(value -> said.put(field, value)); // refused by whoever knows the verb
            } else {
                put(said, field, type, values);
            }
        });
        return said;
    }

    private static void put(ObjectNode said, String field, ParameterType type, List<String> values) {
        switch (type) {
            case LABELS, VARIABLES -> {
                ObjectNode pairs = said.putObject(field);
                values.forEach(value -> pair(pairs, field, value));
            }
            case FLAG -> said.put(field, flag(field, single(field, values)));
            case COUNT, SIZE, DURATION, DURATION_OR_OFF, OFFSET ->
                said.put(field, number(field, single(field, values)));
            case CHECKPOINTS, TEXT, NAME, BOX, SNAPSHOT, EXECUTION, SIGNAL, FILE, PLACE ->
                said.put(field, single(field, values));
            case WORDS, BOXES, LABEL_CHANGES -> {
                var words = said.putArray(field);
                values.forEach(words::add);
            }
        }
    }

    private static String single(String field, List<String> values) {
        if (values.size() != 1) {
            throw invalid("'" + field + "' is said more than once");
        }
        return values.getFirst();
    }

    private static void pair(ObjectNode pairs, String field, String value) {
        int equals = value.indexOf('=');
        if (equals < 0) {
            throw invalid("'" + field + "' is said as key=value");
        }
        pairs.put(value.substring(0, equals), value.substring(equals + 1));
    }

    private static boolean flag(String field, String value) {
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw invalid("'" + field + "' is true or false");
        };
    }

    private static long number(String field, String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw invalid("'" + field + "' is a whole number");
        }
    }

    private static BoxdException invalid(String message) {
        return new BoxdException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
