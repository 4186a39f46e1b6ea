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
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Which request means which verb, or which files of a box; from the table of verbs. */
final class Routes {
    static final String PREFIX = "/v1";
    static final String SOCKET = "SOCKET";

    /** What a request can be about. */
    sealed interface Target {
        /** A verb that is answered. */
        record Call(Verb verb) implements Target {}

        /** A verb that is streamed over a socket. */
        record Stream(Verb verb) implements Target {}

        /** A verb that is streamed as server-sent events. */
        record Events(Verb verb) implements Target {}

        /** A verb whose answer goes on over a socket. */
        record Follow(Verb verb) implements Target {}

        /** Files of a box. */
        record Files(FileRequest request) implements Target {}

        /** Coming in, for those whom nobody knows yet. */
        record Entrance(EntranceRequest request) implements Target {}

        /** The server itself, for machines that watch it or write clients. */
        record Own(OwnRequest request) implements Target {}
    }

    /** The requests about files, which are no verbs but what {@code cp} is made of. */
    enum FileRequest {
        READ("GET", "files", "readFile", "the content of a file, or a part of it"),
        WRITE("PUT", "files", "writeFile", "make a file of the body, at once or not at all"),
        PACK("GET", "tree", "packTree", "a folder, or a file, as a tar archive"),
        UNPACK("PUT", "tree", "unpackTree", "unpack a tar archive into a folder"),
        STAT("GET", "stat", "statFile", "what a path leads to");

        private final String method;
        private final String noun;
        private final String id;
        private final String summary;

        FileRequest(String method, String noun, String id, String summary) {
            this.method = method;
            this.noun = noun;
            this.id = id;
            this.summary = summary;
        }

        String id() {
            return id;
        }

        String summary() {
            return summary;
        }
    }

    /** Requests without a token, by which somebody gets one. */
    enum EntranceRequest {
        WAYS("GET", "/login", "loginWays", "in which ways somebody can come in"),
        BEGIN("POST", "/login", "loginBegin", "begin to log in with a browser, where the server sends people"),
        ASK("POST", "/login/{login}", "loginAsk", "how far a login is; when it is done, a token"),
        ENTER("POST", "/enter", "enter", "follow an invitation and become a user, with a token");

        private final String method;
        private final String path;
        private final String id;
        private final String summary;

        EntranceRequest(String method, String path, String id, String summary) {
            this.method = method;
            this.path = path;
            this.id = id;
            this.summary = summary;
        }

        String id() {
            return id;
        }

        String summary() {
            return summary;
        }
    }

    /** Requests about the server itself, outside the versioned paths. */
    enum OwnRequest {
        ALIVE("/healthz", "alive", "whether the process answers", false),
        READY("/readyz", "ready", "whether a box can be made", false),
        DOCUMENT("/openapi.json", "document", "what can be asked here, as an OpenAPI document", false),
        METRICS("/metrics", "metrics", "figures of the server, as Prometheus reads them", true);

        private final String path;
        private final String id;
        private final String summary;
        private final boolean needsToken;

        OwnRequest(String path, String id, String summary, boolean needsToken) {
            this.path = path;
            this.id = id;
            this.summary = summary;
            this.needsToken = needsToken;
        }

        String id() {
            return id;
        }

        String summary() {
            return summary;
        }

        /** Whether it does unless the configuration says otherwise. */
        boolean needsToken() {
            return needsToken;
        }
    }

    /** Where a target is: how it is asked for, and its path in pieces, some of which stand for a value. */
    record Entry(String method, List<String> pieces, Target target) {
        private long parameters() {
            return pieces.stream().filter(Routes::isParameter).count();
        }
    }

    /**
     * A target with the values of its path.
     *
     * @param values by the names of parameters
     */
    record Match(Target target, Map<String, String> values) {
        /** The same for a client that wants events rather than one answer, where that can be had. */
        Match asEvents() {
            return target instanceof Target.Call(Verb verb) && HistoryVerbs.isFollowed(verb)
                    ? new Match(new Target.Events(verb), values)
                    : this;
        }

        /** What is asked for, in a word or two. */
        String name() {
            return switch (target) {
                case Target.Call(Verb verb) -> verb.name();
                case Target.Stream(Verb verb) -> verb.name() + " stream";
                case Target.Follow(Verb verb) -> verb.name() + " stream";
                case Target.Events(Verb verb) -> verb.name() + " events";
                case Target.Files(FileRequest request) -> request.id();
                case Target.Entrance(EntranceRequest request) -> request.id();
                case Target.Own(OwnRequest request) -> request.id();
            };
        }
    }

    private final List<Entry> entries = new ArrayList<>();

    Routes() {
        for (Verb verb : Verbs.all()) {
            Route route = verb.route();
            Target target = route.method() == Route.Method.SOCKET ? new Target.Stream(verb) : new Target.Call(verb);
            boolean socket = route.method() == Route.Method.SOCKET;
            add(socket ? SOCKET : route.method().name(), PREFIX + route.path(), target);
            if (HistoryVerbs.isFollowed(verb)) {
                add(SOCKET, PREFIX + route.path(), new Target.Follow(verb));
            }
            switch (verb.name()) {
                case "exec" ->
                    add("POST", PREFIX + route.path(), new Target.Call(verb)); // to its end, without a stream
                case "logs" -> add("GET", PREFIX + route.path(), new Target.Events(verb));
                default -> {}
            }
        }
        for (FileRequest request : FileRequest.values()) {
            add(request.method, PREFIX + "/boxes/{box}/" + request.noun, new Target.Files(request));
        }
        for (EntranceRequest request : EntranceRequest.values()) {
            add(request.method, PREFIX + request.path, new Target.Entrance(request));
        }
        for (OwnRequest request : OwnRequest.values()) {
            add("GET", request.path, new Target.Own(request));
        }
    }

    private void add(String method, String path, Target target) {
        entries.add(new Entry(method, List.of(path.substring(1).split("/")), target));
    }

    List<Entry> entries() {
        return List.copyOf(entries);
    }

    /**
     * What the request is about; nothing if this path is asked for in another way, or not at all.
     *
     * @param socket whether the request asks for a WebSocket
     */
    Optional<Match> match(String method, String path, boolean socket) {
        List<String> pieces = pieces(path);
        return at(pieces).stream()
                .filter(entry -> entry.method().equals(socket ? SOCKET : method))
                .findFirst()
                .map(entry ->
                        new Match(entry.target(), values(entry.pieces(), pieces).orElseThrow()));
    }

    /** Those with this path; one that is written so in the table is no value of another's parameter. */
    private List<Entry> at(List<String> pieces) {
        List<Entry> fitting = entries.stream()
                .filter(entry -> values(entry.pieces(), pieces).isPresent())
                .toList();
        long fewest = fitting.stream().mapToLong(Entry::parameters).min().orElse(0);
        return fitting.stream().filter(entry -> entry.parameters() == fewest).toList();
    }

    /** In which ways this path can be asked for; throws if there is none. */
    Set<String> methods(String path) {
        Set<String> methods =
                at(pieces(path)).stream().map(Entry::method).collect(Collectors.toCollection(TreeSet::new));
        if (methods.isEmpty()) {
            throw new BoxdException(
                    ErrorCode.NOT_FOUND, "there is no such path", "/openapi.json lists the paths of the API.", null);
        }
        return methods;
    }

    private static boolean isParameter(String piece) {
        return piece.startsWith("{");
    }

    private static List<String> pieces(String path) {
        return List.of((path.startsWith("/") ? path.substring(1) : path).split("/", -1));
    }

    private static Optional<Map<String, String>> values(List<String> pattern, List<String> pieces) {
        if (pattern.size() != pieces.size()) {
            return Optional.empty();
        }
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < pattern.size(); i++) {
            String expected = pattern.get(i);
            if (isParameter(expected)) {
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
