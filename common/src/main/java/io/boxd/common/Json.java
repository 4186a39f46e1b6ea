package io.boxd.common;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The one JSON mapper: snake_case, unknown fields refused, depth and string sizes bounded. */
public final class Json {
    private static final int MAX_OWN_STRING_CHARS = 32 << 20;

    private static final JsonMapper MAPPER = JsonMapper.builder(PlainJson.FACTORY)
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** What this program itself has written: answers hold whatever a command said. */
    private static final JsonMapper OWN_MAPPER = JsonMapper.builder(PlainJson.factory(MAX_OWN_STRING_CHARS))
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private Json() {}

    /** A record as a tree, for adding to it. */
    public static ObjectNode tree(Object value) {
        return MAPPER.valueToTree(value);
    }

    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    public static ArrayNode array() {
        return MAPPER.createArrayNode();
    }

    public static JsonNode nothing() {
        return MAPPER.nullNode();
    }

    /** Parses text that may be hostile; the error is ours and does not quote the input. */
    public static JsonNode parse(String text) {
        return parse(() -> MAPPER.readTree(text));
    }

    /** Parses as it comes what another process of this program has written, in which strings may be long. */
    public static JsonNode parseOwn(InputStream text) {
        return parse(() -> OWN_MAPPER.readTree(text));
    }

    private static JsonNode parse(Supplier<JsonNode> reading) {
        JsonNode tree;
        try {
            tree = reading.get();
        } catch (JacksonException e) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "not valid JSON", e);
        }
        if (tree.isMissingNode()) { // what Jackson makes of empty text
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "not valid JSON");
        }
        return tree;
    }

    /** Parses text that may be hostile into a record; the text {@code null} is refused too. */
    public static <T> T read(String text, Class<T> type) {
        @Nullable T value;
        try {
            value = MAPPER.readValue(text, type);
        } catch (JacksonException e) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "not a valid " + type.getSimpleName(), e);
        }
        if (value == null) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "not a valid " + type.getSimpleName());
        }
        return value;
    }

    public static String write(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    /** Writes it piece by piece, however long it is; the target stays open. */
    public static void write(Object value, OutputStream target) {
        MAPPER.writer().without(StreamWriteFeature.AUTO_CLOSE_TARGET).writeValue(target, value);
    }

    public static String writePretty(Object value) {
        return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value) + "\n";
    }
}
