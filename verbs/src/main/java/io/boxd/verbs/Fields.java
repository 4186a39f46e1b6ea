package io.boxd.verbs;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A JSON object, asked field by field; a field that is missing or of another type is as good as null. */
public record Fields(Map<String, @Nullable Object> values) {
    /** Of what {@link io.boxd.common.PlainJson} gave; anything but an object has no fields. */
    public static Fields of(@Nullable Object value) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        if (value instanceof Map<?, ?> map) {
            map.forEach((name, field) -> fields.put(String.valueOf(name), field));
        }
        return new Fields(fields);
    }

    /** Each element of an array; anything else is an array of one. */
    public static List<Fields> each(@Nullable Object value) {
        return value instanceof List<?> list ? list.stream().map(Fields::of).toList() : List.of(of(value));
    }

    public boolean has(String name) {
        return values.get(name) != null;
    }

    public @Nullable String text(String name) {
        Object value = values.get(name);
        return value instanceof String || value instanceof Number || value instanceof Boolean
                ? String.valueOf(value)
                : null;
    }

    public String text(String name, String otherwise) {
        return Objects.requireNonNullElse(text(name), otherwise);
    }

    public @Nullable Long number(String name) {
        return values.get(name) instanceof Number number ? (Long) number.longValue() : null;
    }

    public long number(String name, long otherwise) {
        return Objects.requireNonNullElse(number(name), otherwise);
    }

    public @Nullable Double fraction(String name) {
        return values.get(name) instanceof Number number ? (Double) number.doubleValue() : null;
    }

    public boolean flag(String name) {
        return Boolean.TRUE.equals(values.get(name));
    }

    public @Nullable Instant time(String name) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    public Fields object(String name) {
        return of(values.get(name));
    }

    public List<Fields> list(String name) {
        return values.get(name) instanceof List<?> list ? each(list) : List.of();
    }

    /** The texts of an array. */
    public List<String> texts(String name) {
        return values.get(name) instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of();
    }
}
