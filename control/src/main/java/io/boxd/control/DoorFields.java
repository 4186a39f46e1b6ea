package io.boxd.control;

import io.boxd.verbs.ParameterType;
import io.boxd.verbs.Verb;
import java.util.Map;
import java.util.TreeMap;

/** What doors may say with a verb besides the table's parameters. */
public final class DoorFields {
    private DoorFields() {}

    /** With a verb that is answered. */
    public static Map<String, ParameterType> ofCall(Verb verb) {
        if (!verb.name().equals("exec")) {
            return Map.of();
        }
        Map<String, ParameterType> fields = new TreeMap<>(RunOrders.FIELDS);
        fields.put("stdin", ParameterType.TEXT);
        return fields;
    }

    /** With a verb that runs a command, for a program whose bytes pass through. */
    static Map<String, ParameterType> ofProgram(Verb verb) {
        Map<String, ParameterType> fields = new TreeMap<>(ofStream(verb));
        fields.put(RunOrders.FILES, ParameterType.FLAG);
        return fields;
    }

    /** With a verb that is streamed. */
    public static Map<String, ParameterType> ofStream(Verb verb) {
        return switch (verb.name()) {
            case "exec" -> {
                Map<String, ParameterType> fields = new TreeMap<>(RunOrders.FIELDS);
                fields.put("stdin", ParameterType.FLAG);
                yield fields;
            }
            case "attach", "logs" -> Map.of("offset", ParameterType.OFFSET);
            default -> Map.of();
        };
    }
}
