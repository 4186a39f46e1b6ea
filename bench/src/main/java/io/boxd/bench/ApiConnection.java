package io.boxd.bench;

import io.boxd.common.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import tools.jackson.databind.JsonNode;

/** One connection to the server, kept: what a verb costs without starting a command for it. */
final class ApiConnection implements AutoCloseable {
    private static final Duration ANSWER = Duration.ofMinutes(5);
    private static final int FIRST_FAILURE = 300;

    private final String url;
    private final String token;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(ANSWER)
            .build();

    ApiConnection(String url, String token) {
        this.url = url;
        this.token = token;
    }

    JsonNode get(String path) {
        return send(request(path).build());
    }

    JsonNode post(String path, Object body) {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(Json.write(body)))
                .build());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + "/v1" + path))
                .header("Authorization", "Bearer " + token)
                .timeout(ANSWER);
    }

    private JsonNode send(HttpRequest request) {
        try {
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() >= FIRST_FAILURE) {
                throw new IllegalStateException(
                        request.uri() + " was answered with " + response.statusCode() + ": " + response.body());
            }
            return Json.parse(response.body());
        } catch (IOException e) {
            throw new IllegalStateException(request.uri() + " was not answered", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
