package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.HistoryVerbs;
import io.boxd.verbs.Route;
import io.boxd.verbs.Verb;
import io.boxd.verbs.Verbs;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Which request means which verb, or which files of a box; from the table of verbs. */
final class Routes {
    static final String PREFIX = "/v1";

    /** What a request can be about. */
    sealed interface Target {
        /** A verb that is answered. */
        record Call(Verb verb) implements Target {}

        /** A verb that is streamed over a socket. */
        record Stream(Verb verb) implements Target {}

        /** A verb whose answer goes on over a socket. */
        record Follow(Verb verb) implements Target {}

        /** Files of a box. */
        record Files(FileRequest request) implements Target {}
    }

    /** The requests about files, which are no verbs but what {@code cp} is made of. */
    enum FileRequest {
        READ("GET", "files"),
        WRITE("PUT", "files"),
        PACK("GET", "tree"),
        UNPACK("PUT", "tree"),
        STAT("GET", "stat");

        private final String method;
        private final String noun;

        FileRequest(String method, String noun) {
            this.method = method;
            this.noun = noun;
        }
    }

    /** Where a target is: how it is asked for, and its path in pieces, some of which stand for a value. */
    record Entry(String method, List<String> pieces, Target target) {}

    /**
     * A target with the values of its path.
     *
     * @param values by the names of parameters
     */
    record Match(Target target, Map<String, String> values) {}

    private final List<Entry> entries = new ArrayList<>();

    Routes() {
        for (Verb verb : Verbs.all()) {
            Route route = verb.route();
            Target target = route.method() == Route.Method.SOCKET ? new Target.Stream(verb) : new Target.Call(verb);
            add(
                    route.method() == Route.Method.SOCKET
                            ? "SOCKET"
                            : route.method().name(),
                    route.path(),
                    target);
            if (HistoryVerbs.isFollowed(verb)) {
                add("SOCKET", route.path(), new Target.Follow(verb));
            }
            if (verb.name().equals("exec")) {
                add("POST", route.path(), new Target.Call(verb)); // to its end, without a stream
            }
        }
        for (FileRequest request : FileRequest.values()) {
            add(request.method, "/boxes/{box}/" + request.noun, new Target.Files(request));
        }
    }

    private void add(String method, String path, Target target) {
        entries.add(new Entry(method, List.of((PREFIX + path).substring(1).split("/")), target));
    }

    List<Entry> entries() {
        return List.copyOf(entries);
    }

    /** @param socket whether the request asks for a WebSocket */
    Match match(String method, String path, boolean socket) {
        List<String> pieces = List.of((path.startsWith("/") ? path.substring(1) : path).split("/", -1));
        boolean known = false;
        for (Entry entry : entries) {
            Optional<Map<String, String>> values = values(entry.pieces(), pieces);
            if (values.isPresent() && entry.method().equals(socket ? "SOCKET" : method)) {
                return new Match(entry.target(), values.get());
            }
            known |= values.isPresent();
        }
        throw new BoxdException(
                ErrorCode.NOT_FOUND,
                known
                        ? "this path is not asked for with " + (socket ? "a WebSocket" : method)
                        : "there is no such path",
                "docs/api.md lists the paths of the API.",
                null);
    }

    private static Optional<Map<String, String>> values(List<String> pattern, List<String> pieces) {
        if (pattern.size() != pieces.size()) {
            return Optional.empty();
        }
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < pattern.size(); i++) {
            String expected = pattern.get(i);
            if (expected.startsWith("{")) {
                values.put(expected.substring(1, expected.length() - 1), decode(pieces.get(i)));
            } else if (!expected.equals(pieces.get(i))) {
                return Optional.empty();
            }
        }
        return Optional.of(new HashMap<>(values));
    }

    private static String decode(String piece) {
        try {
            return URLDecoder.decode(piece.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "the path is not well encoded", e);
        }
    }
}
