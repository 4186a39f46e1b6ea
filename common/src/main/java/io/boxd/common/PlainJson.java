package io.boxd.common;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * JSON as maps, lists, strings, numbers and booleans, read and written as a stream: for programs that must start at
 * once and cannot wait until {@link Json}'s mapper is ready. Both have the same limits.
 */
public final class PlainJson {
    /** QEMU describes a disk with one level for each layer, so this also bounds how many it can have. */
    private static final int MAX_DEPTH = 500;

    private static final int MAX_STRING_CHARS = 1 << 20;

    static final JsonFactory FACTORY = factory(MAX_STRING_CHARS);

    private PlainJson() {}

    static JsonFactory factory(int stringChars) {
        return JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(MAX_DEPTH)
                        .maxStringLength(stringChars)
                        .build())
                .build();
    }

    /** One value; numbers are {@link Long} or {@link Double}. Hostile text gives an error that does not quote it. */
    public static @Nullable Object parse(String text) {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            JsonToken first = parser.nextToken();
            if (first == null) {
                throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "not valid JSON");
            }
            Object value = value(parser, first);
            if (parser.nextToken() != null) {
                throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "not valid JSON: more than one value");
            }
            return value;
        } catch (JacksonException e) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "not valid JSON", e);
        }
    }

    private static @Nullable Object value(JsonParser parser, @Nullable JsonToken token) {
        if (token == null) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "not valid JSON");
        }
        return switch (token) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> parser.getString();
            case VALUE_NUMBER_INT -> wholeNumber(parser);
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            case END_OBJECT, END_ARRAY, PROPERTY_NAME, NOT_AVAILABLE, VALUE_EMBEDDED_OBJECT ->
                throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "not valid JSON");
        };
    }

    private static Object wholeNumber(JsonParser parser) {
        return parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                ? (Object) parser.getDoubleValue()
                : (Object) parser.getLongValue();
    }

    private static Map<String, @Nullable Object> object(JsonParser parser) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            fields.put(name, value(parser, parser.nextToken()));
        }
        return fields;
    }

    private static List<@Nullable Object> array(JsonParser parser) {
        List<@Nullable Object> values = new ArrayList<>();
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            values.add(value(parser, token));
        }
        return values;
    }

    /** Writes what {@link #parse} gives, and whole numbers of any kind. */
    public static String write(@Nullable Object value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            write(generator, value);
        }
        return text.toString();
    }

    private static void write(JsonGenerator generator, @Nullable Object value) {
        switch (value) {
            case null -> generator.writeNull();
            case String text -> generator.writeString(text);
            case Boolean flag -> generator.writeBoolean(flag);
            case Double number -> generator.writeNumber(number);
            case Number number -> generator.writeNumber(number.longValue());
            case Map<?, ?> fields -> {
                generator.writeStartObject();
                fields.forEach((name, field) -> {
                    generator.writeName(String.valueOf(name));
                    write(generator, field);
                });
                generator.writeEndObject();
            }
            case Iterable<?> values -> {
                generator.writeStartArray();
                values.forEach(each -> write(generator, each));
                generator.writeEndArray();
            }
            default -> throw new IllegalArgumentException("no JSON value: " + value.getClass());
        }
    }
}
