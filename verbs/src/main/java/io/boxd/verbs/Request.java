package io.boxd.verbs;

import io.boxd.common.PlainJson;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A verb with what was said with it, checked, as every door hands it on.
 *
 * @param values by the parameters' fields, as {@link ParameterType} says
 * @param json whether the answer is wanted as JSON
 */
public record Request(Verb verb, Map<String, @Nullable Object> values, boolean json) {
    public Request {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    public @Nullable String text(String field) {
        return values.get(field) instanceof String text ? text : null;
    }

    public boolean flag(String field) {
        return Boolean.TRUE.equals(values.get(field));
    }

    public boolean has(String field) {
        return values.containsKey(field);
    }

    /** Which of the servers that the caller knows is meant, if that was said. */
    public @Nullable String context() {
        return verb.isLocal() ? null : text(CommandLine.CONTEXT.field());
    }

    /** The route's path below the server's root, with its parameters, and for GET and DELETE with the query. */
    public String target() {
        String path = "/v1" + verb.route().path();
        for (Parameter parameter : verb.parameters()) {
            String text = text(parameter.field());
            if (verb.isInPath(parameter) && text != null) {
                path = path.replace("{" + parameter.field() + "}", encode(text));
            }
        }
        String query = isInQuery() ? query() : "";
        return query.isEmpty() ? path : path + "?" + query;
    }

    private boolean isInQuery() {
        return switch (verb.route().method()) {
            case GET, DELETE -> true;
            case POST, PATCH, PUT, SOCKET, DOOR, LOCAL -> false;
        };
    }

    private String query() {
        List<String> pairs = new ArrayList<>();
        fields().forEach((field, value) -> {
            if (value instanceof Map<?, ?> map) {
                map.forEach((key, each) -> pairs.add(field + "=" + encode(key + "=" + each)));
            } else {
                pairs.add(field + "=" + encode(String.valueOf(value)));
            }
        });
        return String.join("&", pairs);
    }

    /** The fields that do not stand in the path: the body of a POST, the start of a stream. */
    public Map<String, @Nullable Object> fields() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (Parameter parameter : verb.parameters()) {
            if (values.containsKey(parameter.field()) && !verb.isInPath(parameter)) {
                put(fields, parameter, values.get(parameter.field()));
            }
        }
        return fields;
    }

    /** One word is for a shell to take apart; several are a program and its words already. */
    private static void put(Map<String, @Nullable Object> fields, Parameter parameter, @Nullable Object value) {
        if (parameter.type() == ParameterType.WORDS && value instanceof List<?> words) {
            fields.put(words.size() == 1 ? "script" : "argv", words.size() == 1 ? words.getFirst() : words);
        } else {
            fields.put(parameter.field(), value);
        }
    }

    public String body() {
        return PlainJson.write(fields());
    }

    /** Percent-encoded, for a path as for a query. */
    public static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
