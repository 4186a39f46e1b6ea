package io.boxd.api;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;

/** Checks JSON against the schemas of a document; a keyword that it does not know is a mistake of the document. */
final class TestingSchema {
    private final JsonNode document;

    TestingSchema(JsonNode document) {
        this.document = document;
    }

    /** What is wrong with the value, and where; nothing if it fits. */
    List<String> problems(JsonNode schema, JsonNode value) {
        List<String> problems = new ArrayList<>();
        check(schema, value, "$", problems);
        return problems;
    }

    private void check(JsonNode schema, JsonNode value, String at, List<String> problems) {
        for (Map.Entry<String, JsonNode> keyword : schema.properties()) {
            if (!fits(keyword.getKey(), keyword.getValue(), schema, value, at, problems)) {
                problems.add(at + ": " + keyword.getKey() + " " + keyword.getValue() + " does not hold for " + value);
            }
        }
    }

    private boolean fits(
            String keyword, JsonNode said, JsonNode schema, JsonNode value, String at, List<String> problems) {
        return switch (keyword) {
            case "$ref" -> {
                check(resolve(said.asString()), value, at, problems);
                yield true;
            }
            case "type" -> said.isArray() ? all(said).stream().anyMatch(each -> isA(each, value)) : isA(said, value);
            case "enum" -> all(said).contains(value);
            case "const" -> said.equals(value);
            case "required" -> !value.isObject() || all(said).stream().allMatch(field -> value.has(field.asString()));
            case "properties" -> {
                said.properties().forEach(property -> {
                    if (value.has(property.getKey())) {
                        check(
                                property.getValue(),
                                value.get(property.getKey()),
                                at + "." + property.getKey(),
                                problems);
                    }
                });
                yield true;
            }
            case "additionalProperties" -> additional(said, schema, value, at, problems);
            case "propertyNames" ->
                value.properties().stream().allMatch(field -> matches(said.path("pattern"), field.getKey()));
            case "items" -> {
                value.forEach(item -> check(said, item, at + "[]", problems));
                yield true;
            }
            case "oneOf" ->
                all(said).stream()
                                .filter(each -> problems(each, value).isEmpty())
                                .count()
                        == 1;
            case "anyOf" ->
                all(said).stream().anyMatch(each -> problems(each, value).isEmpty());
            case "allOf" ->
                all(said).stream().allMatch(each -> problems(each, value).isEmpty());
            case "not" -> !problems(said, value).isEmpty();
            case "pattern" -> !value.isString() || matches(said, value.asString());
            case "format" -> !value.isString() || !said.asString().equals("date-time") || isTime(value.asString());
            case "minimum" -> !value.isNumber() || value.asDouble() >= said.asDouble();
            case "maximum" -> !value.isNumber() || value.asDouble() <= said.asDouble();
            case "multipleOf" -> !value.isNumber() || value.asLong() % said.asLong() == 0;
            case "maxLength" -> !value.isString() || value.asString().length() <= said.asInt();
            case "minItems" -> !value.isArray() || value.size() >= said.asInt();
            case "minProperties" -> !value.isObject() || value.size() >= said.asInt();
            case "maxProperties" -> !value.isObject() || value.size() <= said.asInt();
            case "description", "contentEncoding" -> true;
            default -> false;
        };
    }

    private boolean additional(JsonNode said, JsonNode schema, JsonNode value, String at, List<String> problems) {
        boolean none = true;
        for (Map.Entry<String, JsonNode> field : value.properties()) {
            if (schema.path("properties").has(field.getKey())) {
                continue;
            }
            if (said.isObject()) {
                check(said, field.getValue(), at + "." + field.getKey(), problems);
            } else {
                none &= said.asBoolean();
            }
        }
        return none;
    }

    /** Where a reference leads. */
    JsonNode resolve(String reference) {
        JsonNode found = document.at(reference.substring(1));
        if (found.isMissingNode()) {
            throw new AssertionError(reference + " leads nowhere");
        }
        return found;
    }

    static List<JsonNode> all(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).toList();
    }

    private static boolean matches(JsonNode pattern, String text) {
        return Pattern.compile(pattern.asString()).matcher(text).find();
    }

    private static boolean isA(JsonNode type, JsonNode value) {
        return switch (type.asString()) {
            case "string" -> value.isString();
            case "integer" -> value.isIntegralNumber();
            case "number" -> value.isNumber();
            case "boolean" -> value.isBoolean();
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "null" -> value.isNull();
            default -> throw new AssertionError("there is no type " + type);
        };
    }

    private static boolean isTime(String text) {
        try {
            return text.endsWith("Z") && Instant.parse(text) != null;
        } catch (DateTimeException e) {
            return false;
        }
    }
}
