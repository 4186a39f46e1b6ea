package io.boxd.verbs;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A JSON object, asked field by field; a field that is missing or of another type is as good as null. */
public record Fields(Map<String, @Nullable Object> values) {
    private static final Pattern TIME =
            Pattern.compile("(\\d{4})-(\\d\\d)-(\\d\\d)T(\\d\\d):(\\d\\d):(\\d\\d)(?:\\.(\\d{1,9}))?Z");

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
        Matcher time = TIME.matcher(text == null ? "" : text);
        if (!time.matches()) {
            return null;
        }
        try {
            // By hand: Java's formatter takes longer to get ready than the whole answer.
            Instant second = LocalDateTime.of(
                            number(time, 1), number(time, 2), number(time, 3), number(time, 4), number(time, 5), 0)
                    .plusSeconds(number(time, 6))
                    .toInstant(ZoneOffset.UTC);
            String fraction = time.group(7) == null ? "" : time.group(7);
            return second.plusNanos(Long.parseLong((fraction + "000000000").substring(0, 9)));
        } catch (DateTimeException e) {
            return null;
        }
    }

    private static int number(Matcher time, int group) {
        return Integer.parseInt(time.group(group));
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
