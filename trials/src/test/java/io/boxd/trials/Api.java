package io.boxd.trials;

import io.boxd.common.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Requests to a server as programs make them. */
final class Api implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int FIRST_FAILURE = 300;

    private final String token;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();

    Api(String token) {
        this.token = token;
    }

    /** @param key by which a repeated request is known */
    record Request(String method, String path, Optional<Map<String, ?>> body, Optional<String> key) {
        static Request get(String path) {
            return new Request("GET", path, Optional.empty(), Optional.empty());
        }

        static Request delete(String path) {
            return new Request("DELETE", path, Optional.empty(), Optional.empty());
        }

        static Request post(String path, Map<String, ?> body) {
            return new Request("POST", path, Optional.of(body), Optional.empty());
        }

        Request under(String newKey) {
            return new Request(method, path, body, Optional.of(newKey));
        }
    }

    record Answer(int status, String text) {
        boolean succeeded() {
            return status < FIRST_FAILURE;
        }

        JsonNode json() {
            return Json.parse(text);
        }
    }

    private HttpRequest.Builder builder(String url, String path) {
        return HttpRequest.newBuilder(URI.create(url + "/v1" + path)).header("Authorization", "Bearer " + token);
    }

    /** The lines of what happens behind this event, as server-sent events, until the server ends. */
    Stream<String> follow(String url, String path, long lastEvent) throws IOException, InterruptedException {
        HttpRequest request = builder(url, path)
                .header("Accept", "text/event-stream")
                .header("Last-Event-ID", Long.toString(lastEvent))
                .build();
        return client.send(request, BodyHandlers.ofLines()).body();
    }

    /** Whatever the server says; no answer is an exception. */
    Answer send(String url, Request request) throws IOException, InterruptedException {
        HttpRequest.Builder builder = builder(url, request.path())
                .timeout(PATIENCE)
                .method(
                        request.method(),
                        request.body()
                                .map(body -> BodyPublishers.ofString(Json.write(body)))
                                .orElse(BodyPublishers.noBody()));
        request.body().ifPresent(_ -> builder.header("Content-Type", "application/json"));
        request.key().ifPresent(key -> builder.header("Idempotency-Key", key));
        var response = client.send(builder.build(), BodyHandlers.ofString());
        return new Answer(response.statusCode(), response.body());
    }

    /** The same where nothing but success is right. */
    JsonNode must(String url, Request request) throws IOException, InterruptedException {
        Answer answer = send(url, request);
        if (!answer.succeeded()) {
            throw new AssertionError(request + " was answered with " + answer);
        }
        return answer.json();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
