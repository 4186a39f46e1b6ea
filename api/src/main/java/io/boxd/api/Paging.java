package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.verbs.Request;
import io.boxd.verbs.Verb;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/**
 * Long lists in pages: the answer stays an array, and where the next page is stands in the header {@code Link}.
 *
 * <p>A page is what comes behind the time and the id of the last element of the page before, whether that one still
 * exists or not: whatever is there all the time is seen once.
 */
final class Paging {
    static final int MOST = 1000;
    private static final String LIMIT = "limit";
    private static final String AFTER = "after";
    private static final String CURSOR_PATTERN = "^[A-Za-z0-9_-]{1,200}$";

    /** By the verbs that have pages: the fields by which their elements are ordered. */
    private static final Map<String, Keys> VERBS = Map.of(
            "list", new Keys("created_at", "id"),
            "snapshot list", new Keys("created_at", "id"),
            "ps", new Keys("started_at", "exec_id"));

    private record Keys(String time, String id) {}

    private record Position(Instant time, String id) implements Comparable<Position> {
        private static final Comparator<Position> ORDER =
                Comparator.comparing(Position::time).thenComparing(Position::id);

        @Override
        public int compareTo(Position other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * Some elements, and the query that asks for those behind them.
     *
     * @param next nothing if there are no more
     */
    record Page(JsonNode elements, Optional<String> next) {}

    private final Keys keys;
    private final Optional<Integer> limit;
    private final Optional<Position> after;
    private final Map<String, List<String>> others;

    private Paging(Keys keys, Optional<Integer> limit, Optional<Position> after, Map<String, List<String>> others) {
        this.keys = keys;
        this.limit = limit;
        this.after = after;
        this.others = others;
    }

    static boolean applies(Verb verb) {
        return VERBS.containsKey(verb.name());
    }

    /** What a query says about pages of a verb that has some. */
    static Paging of(Verb verb, Map<String, List<String>> query) {
        Map<String, List<String>> others = new LinkedHashMap<>(query);
        Optional<String> limit = single(LIMIT, others.remove(LIMIT));
        Optional<String> after = single(AFTER, others.remove(AFTER));
        Keys keys = Optional.ofNullable(VERBS.get(verb.name())).orElseThrow();
        return new Paging(keys, limit.map(Paging::number), after.map(Paging::position), others);
    }

    private static Optional<String> single(String name, @org.jspecify.annotations.Nullable List<String> values) {
        if (values == null) {
            return Optional.empty();
        }
        if (values.size() > 1) {
            throw invalid("'" + name + "' is said more than once");
        }
        return Optional.of(values.getFirst());
    }

    private static int number(String text) {
        if (!text.matches("[0-9]{1,4}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > MOST) {
            throw invalid("'" + LIMIT + "' is a whole number from 1 to " + MOST);
        }
        return Integer.parseInt(text);
    }

    private static Position position(String cursor) {
        try {
            String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
            int space = text.indexOf(' ');
            if (space > 0) {
                return new Position(Instant.parse(text.substring(0, space)), text.substring(space + 1));
            }
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, unknownCursor(), e);
        }
        throw invalid(unknownCursor());
    }

    private static String unknownCursor() {
        return "'" + AFTER + "' is what the header Link of another page says";
    }

    private static BoxdException invalid(String message) {
        return new BoxdException(ErrorCode.INVALID_ARGUMENT, message);
    }

    /** The query without what is about pages. */
    Map<String, List<String>> others() {
        return others;
    }

    /** The page that was asked for; everything as it is if none was. */
    Page of(JsonNode all) {
        if (limit.isEmpty() && after.isEmpty()) {
            return new Page(all, Optional.empty());
        }
        List<JsonNode> behind = StreamSupport.stream(all.spliterator(), false)
                .sorted(Comparator.comparing(this::position))
                .filter(element -> after.isEmpty() || position(element).compareTo(after.get()) > 0)
                .toList();
        int count = Math.min(limit.orElse(MOST), behind.size());
        ArrayNode elements = Json.array();
        behind.subList(0, count).forEach(elements::add);
        return new Page(elements, count < behind.size() ? Optional.of(next(behind.get(count - 1))) : Optional.empty());
    }

    private Position position(JsonNode element) {
        return new Position(
                Instant.parse(element.path(keys.time()).asString()),
                element.path(keys.id()).asString());
    }

    private String next(JsonNode last) {
        Position position = position(last);
        String cursor = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString((position.time() + " " + position.id()).getBytes(StandardCharsets.UTF_8));
        List<String> pairs = new ArrayList<>();
        others.forEach((name, values) -> values.forEach(value -> pairs.add(name + "=" + Request.encode(value))));
        limit.ifPresent(count -> pairs.add(LIMIT + "=" + count));
        pairs.add(AFTER + "=" + cursor);
        return String.join("&", pairs);
    }

    /** The parameters in the words of OpenAPI. */
    static void describe(ArrayNode parameters) {
        Operations.parameter(parameters, LIMIT, "query", Schema.integer(1, MOST), false)
                .put("description", "at most so many; the header Link says where the others are");
        Operations.parameter(parameters, AFTER, "query", Schema.text(CURSOR_PATTERN), false)
                .put("description", "those behind this place, which the header Link of another page says");
    }
}
