package io.boxd.verbs;

/**
 * Where a verb is in the HTTP API.
 *
 * @param path below {@code /v1}, with the names of parameters in braces
 */
public record Route(Method method, String path) {
    /** How it is asked for. */
    public enum Method {
        GET,
        POST,
        PATCH,
        PUT,
        DELETE,
        /** A WebSocket, opened by a GET. */
        SOCKET,
        /** None: a door does this by itself, with what it asks of the server. */
        DOOR,
        /** None, and the server in use is not asked: it is about the caller's own machine or settings. */
        LOCAL
    }

    static Route get(String path) {
        return new Route(Method.GET, path);
    }

    static Route post(String path) {
        return new Route(Method.POST, path);
    }

    static Route patch(String path) {
        return new Route(Method.PATCH, path);
    }

    static Route delete(String path) {
        return new Route(Method.DELETE, path);
    }

    static Route socket(String path) {
        return new Route(Method.SOCKET, path);
    }

    static Route door() {
        return new Route(Method.DOOR, "");
    }

    static Route local() {
        return new Route(Method.LOCAL, "");
    }
}
