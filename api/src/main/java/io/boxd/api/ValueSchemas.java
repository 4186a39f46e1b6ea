package io.boxd.api;

import static io.boxd.api.Schema.arrayOf;
import static io.boxd.api.Schema.flag;
import static io.boxd.api.Schema.integer;
import static io.boxd.api.Schema.mapOf;
import static io.boxd.api.Schema.oneOf;
import static io.boxd.api.Schema.oneOfWords;
import static io.boxd.api.Schema.orNull;
import static io.boxd.api.Schema.text;

import io.boxd.common.Json;
import io.boxd.common.Shapes;
import io.boxd.common.SignalNames;
import io.boxd.control.Limits;
import io.boxd.control.Names;
import io.boxd.verbs.Parameter;
import io.boxd.verbs.ParameterType;
import io.boxd.verbs.Rule;
import io.boxd.verbs.Topic;
import io.boxd.verbs.Verb;
import io.boxd.vmm.MachineSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What may be said with verbs: each type of the table as JSON Schema, with the bounds that the server holds to. */
final class ValueSchemas {
    private static final String NO_ZERO = "^[^\\u0000]*$";
    private static final String PRINTABLE = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$";
    /** Not a number, nor a number and a hyphen: that would read as a port. */
    private static final String BOX_NAME = "^([a-z]|[0-9]+[a-z])([a-z0-9-]{0,38}[a-z0-9])?$";

    private ValueSchemas() {}

    /** A parameter of a verb in JSON. */
    static ObjectNode of(Verb verb, String field, ParameterType type) {
        return switch (field) {
            case "cpus" -> integer(1, MachineSize.MAX_CPUS);
            case "memory_bytes" -> mebibytes(MachineSize.MIN_MEMORY, MachineSize.MAX_MEMORY);
            case "disk_bytes" -> mebibytes(MachineSize.MIN_DISK, MachineSize.MAX_DISK);
            case "count" -> integer(1, Limits.FORKS_AT_ONCE);
            case "limit" -> integer(1, Limits.TOLD_AT_ONCE);
            case "rows", "columns" -> integer(1, Limits.TERMINAL_CELLS);
            // What is called so exists already, and may have a name that nothing new gets.
            case "user", "org" -> text(whole(Shapes.NAME_PATTERN));
            default -> of(verb, type);
        };
    }

    private static ObjectNode mebibytes(long least, long most) {
        return integer(least, most).put("multipleOf", MachineSize.MIB);
    }

    private static ObjectNode of(Verb verb, ParameterType type) {
        return switch (type) {
            case TEXT, FILE, PLACE -> text();
            case NAME -> isOfABox(verb) ? boxName() : text(whole(Shapes.NAME_PATTERN));
            case BOX, SNAPSHOT, EXECUTION -> text(whole(ParameterType.REFERENCE_PATTERN));
            case COUNT -> integer(1, Integer.MAX_VALUE);
            case SIZE -> integer(1);
            case OFFSET -> integer(0);
            case DURATION -> integer(1, Limits.LONGEST_TIME_SECONDS);
            case DURATION_OR_OFF -> integer(0, Limits.LONGEST_TIME_SECONDS);
            case CHECKPOINTS -> oneOf(integer(0, Limits.LONGEST_TIME_SECONDS), oneOfWords(List.of("exec")));
            case FLAG -> flag();
            case VARIABLES -> pairs(Shapes.VARIABLE_PATTERN, text(NO_ZERO), Limits.VARIABLES);
            case LABELS -> pairs(Shapes.LABEL_KEY_PATTERN, labelValue(), Limits.LABELS);
            case LABEL_CHANGES ->
                pairs(Shapes.LABEL_KEY_PATTERN, orNull(labelValue()), Limits.LABELS)
                        .put("minProperties", 1);
            case SIGNAL -> text(signals());
            case WORDS -> arrayOf(text(NO_ZERO)).put("minItems", 1);
            case BOXES -> arrayOf(text(whole(ParameterType.REFERENCE_PATTERN))).put("minItems", 1);
        };
    }

    private static boolean isOfABox(Verb verb) {
        return verb.topic() != Topic.IMAGES && !verb.name().startsWith("snapshot ");
    }

    private static ObjectNode boxName() {
        ObjectNode schema = text(BOX_NAME).put("maxLength", Shapes.LONGEST_NAME);
        ArrayNode reserved = schema.putObject("not").putArray("enum");
        new TreeSet<>(Names.reserved()).forEach(reserved::add);
        return schema;
    }

    private static ObjectNode labelValue() {
        return text(PRINTABLE).put("maxLength", Limits.LABEL_VALUE_CHARS);
    }

    private static ObjectNode pairs(String key, ObjectNode value, int most) {
        ObjectNode schema = mapOf(value).put("maxProperties", most);
        schema.putObject("propertyNames").put("pattern", whole(key));
        return schema;
    }

    private static String signals() {
        return "^(SIG)?(" + String.join("|", SignalNames.all()) + ")$|^([1-9]|[1-5][0-9]|6[0-4])$";
    }

    private static String whole(String pattern) {
        return "^" + pattern + "$";
    }

    /** A parameter where it stands in a query: pairs are said as {@code key=value}, as often as there are some. */
    static ObjectNode inQuery(Verb verb, String field, ParameterType type) {
        return type.isRepeated() ? arrayOf(text("=")) : of(verb, field, type);
    }

    /** The JSON object in which everything is said that does not stand in the path. */
    static ObjectNode body(Verb verb, Map<String, ParameterType> more) {
        return Schema.object(shape -> {
            for (Parameter parameter : verb.parameters()) {
                if (verb.isInPath(parameter)) {
                    continue;
                }
                ObjectNode schema = of(verb, parameter.field(), parameter.type());
                schema.put("description", parameter.help());
                if (isNeeded(parameter)) {
                    shape.has(parameter.field(), schema);
                } else {
                    shape.mayHave(parameter.field(), schema);
                }
            }
            more.forEach((field, type) -> shape.mayHave(field, of(verb, field, type)));
        });
    }

    /** A parameter that is a piece of a path: what ids look like, where nothing else is said. */
    static ObjectNode inPath(Verb verb, Parameter parameter) {
        return parameter.type() == ParameterType.TEXT
                ? text(whole(ParameterType.REFERENCE_PATTERN))
                : of(verb, parameter.field(), parameter.type());
    }

    /** Whether a request must have a body, however little is in it. */
    static boolean needsBody(Verb verb, ObjectNode body) {
        return body.has("required") || verb.rules().stream().anyMatch(rule -> rule.kind() != Rule.Kind.AT_MOST_ONE);
    }

    static boolean isNeeded(Parameter parameter) {
        return parameter.place() == Parameter.Place.REQUIRED_WORD && parameter.type() != ParameterType.WORDS;
    }

    /** What the table forbids between fields; some generators of clients take any other form for a choice of types. */
    static void addRules(Verb verb, ObjectNode body) {
        List<ObjectNode> forbidden = new ArrayList<>();
        for (Rule rule : verb.rules()) {
            if (rule.kind() != Rule.Kind.AT_MOST_ONE) {
                forbidden.add(none(verb, rule.fields()));
            }
            if (rule.kind() != Rule.Kind.AT_LEAST_ONE) {
                forbidden.addAll(pairsOf(verb, rule.fields()));
            }
            rule.fields().forEach(field -> forbidden.addAll(pairsOf(verb, spellings(field))));
        }
        if (!forbidden.isEmpty()) {
            forbidden.forEach(body.putObject("not").putArray("anyOf")::add);
        }
    }

    /** A command's words can be said in one of three fields. */
    private static List<String> spellings(String field) {
        return field.equals("command") ? List.of("command", "argv", "script") : List.of(field);
    }

    private static List<ObjectNode> pairsOf(Verb verb, List<String> fields) {
        List<ObjectNode> pairs = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            for (int j = i + 1; j < fields.size(); j++) {
                ObjectNode both = Json.object();
                both.putArray("allOf").add(said(verb, fields.get(i))).add(said(verb, fields.get(j)));
                pairs.add(both);
            }
        }
        return pairs;
    }

    private static ObjectNode none(Verb verb, List<String> fields) {
        ObjectNode schema = Json.object();
        ArrayNode all = schema.putArray("allOf");
        fields.stream()
                .flatMap(field -> spellings(field).stream())
                .forEach(field -> all.addObject().set("not", said(verb, field)));
        return schema;
    }

    /** A flag that is false has not been said. */
    private static ObjectNode said(Verb verb, String field) {
        ObjectNode schema = Json.object();
        schema.putArray("required").add(field);
        boolean isFlag = verb.parameters().stream()
                .anyMatch(parameter -> parameter.field().equals(field) && parameter.type() == ParameterType.FLAG);
        if (isFlag) {
            schema.putObject("properties").putObject(field).put("const", true);
        }
        return schema;
    }
}
