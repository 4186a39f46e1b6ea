package io.boxd.api;

import io.boxd.common.Json;
import java.util.List;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** JSON Schema (2020-12) in the few words that our documents need. */
final class Schema {
    private static final String COMPONENTS = "#/components/schemas/";

    private Schema() {}

    static ObjectNode text() {
        return Json.object().put("type", "string");
    }

    static ObjectNode text(String pattern) {
        return text().put("pattern", pattern);
    }

    /** RFC 3339, in UTC. */
    static ObjectNode time() {
        return text().put("format", "date-time");
    }

    static ObjectNode flag() {
        return Json.object().put("type", "boolean");
    }

    static ObjectNode integer(long least) {
        return Json.object().put("type", "integer").put("format", "int64").put("minimum", least);
    }

    static ObjectNode integer(long least, long most) {
        return integer(least).put("maximum", most);
    }

    static ObjectNode number() {
        return Json.object().put("type", "number").put("minimum", 0);
    }

    static ObjectNode oneOfWords(List<String> words) {
        ObjectNode schema = text();
        words.forEach(schema.putArray("enum")::add);
        return schema;
    }

    static ObjectNode oneOf(ObjectNode... choices) {
        ObjectNode schema = Json.object();
        List.of(choices).forEach(schema.putArray("oneOf")::add);
        return schema;
    }

    static ObjectNode arrayOf(ObjectNode items) {
        ObjectNode schema = Json.object().put("type", "array");
        schema.set("items", items);
        return schema;
    }

    /** An object whose keys nobody knows before. */
    static ObjectNode mapOf(ObjectNode values) {
        ObjectNode schema = Json.object().put("type", "object");
        schema.set("additionalProperties", values);
        return schema;
    }

    static ObjectNode ref(String component) {
        return Json.object().put("$ref", COMPONENTS + component);
    }

    /** The same, or null: a field without a value. */
    static ObjectNode orNull(ObjectNode schema) {
        JsonNode type = schema.get("type");
        if (type == null) {
            return oneOf(schema, Json.object().put("type", "null"));
        }
        ObjectNode either = schema.deepCopy();
        either.putArray("type").add(type.asString()).add("null");
        return either;
    }

    /** An object that has these fields and no others. */
    static ObjectNode object(Consumer<Shape> fields) {
        Shape shape = new Shape();
        fields.accept(shape);
        return shape.schema();
    }

    /** The fields of an object, as they are told one after the other. */
    static final class Shape {
        private final ObjectNode schema = Json.object().put("type", "object");
        private final ObjectNode properties = schema.putObject("properties");
        private final ArrayNode required = Json.array();

        private Shape() {}

        /** One that is always there. */
        Shape has(String field, ObjectNode value) {
            properties.set(field, value);
            required.add(field);
            return this;
        }

        /** One that may be missing. */
        Shape mayHave(String field, ObjectNode value) {
            properties.set(field, value);
            return this;
        }

        private ObjectNode schema() {
            schema.put("additionalProperties", false);
            if (!required.isEmpty()) {
                schema.set("required", required);
            }
            return schema;
        }
    }
}
