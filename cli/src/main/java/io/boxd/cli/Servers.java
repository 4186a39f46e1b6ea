package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.Request;
import io.boxd.verbs.Route;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Requests to a server; where that is, is asked anew for each. */
final class Servers {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Duration BUILDING_PATIENCE = Duration.ofHours(1);

    private final Supplier<ServerAddress> finder;

    Servers(Supplier<ServerAddress> finder) {
        this.finder = finder;
    }

    /** Which server it is. */
    ServerAddress address() {
        return finder.get();
    }

    /** Says a verb and gives the answer's JSON. */
    String ask(Request request) {
        Route.Method method = request.verb().route().method();
        boolean hasBody = switch (method) {
            case POST, PATCH, PUT -> true;
            case GET, DELETE -> false;
            case SOCKET, DOOR, LOCAL ->
                throw new IllegalArgumentException(request.verb().name() + " is no request");
        };
        Duration patience = request.verb().name().equals("image build") ? BUILDING_PATIENCE : PATIENCE;
        return ask(method.name(), request.target(), hasBody ? request.body() : null, patience);
    }

    /** Posts a JSON body. */
    String post(String target, String body) {
        return ask("POST", target, body, PATIENCE);
    }

    String get(String target) {
        return get(target, PATIENCE);
    }

    String get(String target, Duration patience) {
        return ask("GET", target, null, patience);
    }

    private String ask(String method, String target, @Nullable String body, Duration patience) {
        byte[] content = body == null ? null : body.getBytes(StandardCharsets.UTF_8);
        Map<String, String> headers = body == null ? Map.of() : Map.of("Content-Type", "application/json");
        return talk(patience, connection -> {
            connection.send(method, target, headers, content);
            return connection.text(connection.receive());
        });
    }

    /** Something that is said and heard over one connection. */
    interface Talk<T> {
        T over(HttpConnection connection) throws IOException;
    }

    <T> T talk(Talk<T> talk) {
        return talk(PATIENCE, talk);
    }

    <T> T talk(Duration patience, Talk<T> talk) {
        ServerAddress address = finder.get();
        try (HttpConnection connection = HttpConnection.open(address, patience)) {
            return talk.over(connection);
        } catch (SocketTimeoutException e) {
            throw new BoxdException(
                    ErrorCode.TIMEOUT, "the server at " + address + " did not answer in time", "See its log.", e);
        } catch (IOException e) {
            throw lost(address, e);
        }
    }

    BoxStream stream(String target, Map<String, @Nullable Object> start) throws IOException {
        return BoxStream.open(finder.get(), target, start);
    }

    /** A stream that only tells. */
    WebSocket socket(String target, Duration patience) throws IOException {
        return WebSocket.open(finder.get(), target, patience);
    }

    static BoxdException lost(Object address, IOException cause) {
        return new BoxdException(
                ErrorCode.UNAVAILABLE, "the connection to " + address + " was lost: " + cause.getMessage(), cause);
    }
}
