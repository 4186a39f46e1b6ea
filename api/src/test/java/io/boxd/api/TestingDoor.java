package io.boxd.api;

import io.boxd.accounts.TestingAccounts;
import io.boxd.common.Json;
import io.boxd.control.TestingControl;
import io.boxd.web.WebConfig;
import io.boxd.web.WebServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;

/** The real HTTP door over boxes without machines, and clients for it. */
final class TestingDoor implements AutoCloseable {
    static final String SECRET = TestingAccounts.ADMINISTRATORS_TOKEN;

    private final TestingControl house = new TestingControl();
    private final ApiDoor door;
    private final WebServer server;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private volatile Optional<String> obstacle = Optional.empty();

    TestingDoor() {
        this(config -> config);
    }

    /** @param change to how it usually is */
    TestingDoor(UnaryOperator<ApiConfig> change) {
        door = new ApiDoor(change.apply(ApiConfig.usual("boxd.localhost")), house.control(), () -> obstacle);
        server = WebServer.open(
                new WebConfig(InetAddress.getLoopbackAddress(), 0, Optional.empty()), List.of(door), ApiDoor.refusal());
    }

    TestingControl house() {
        return house;
    }

    void setObstacle(String reason) {
        obstacle = Optional.of(reason);
    }

    int port() {
        return server.port();
    }

    /** An answer as a client sees it. */
    record Answer(int status, HttpHeaders headers, JsonNode json) {
        String header(String name) {
            return headers.firstValue(name).orElse("");
        }

        String code() {
            return json.path("error").path("code").asString("");
        }
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .header("Authorization", "Bearer " + SECRET)
                .timeout(Duration.ofSeconds(60));
    }

    <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> body) throws IOException {
        try {
            return client.send(request, body);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    Answer say(String method, String path, String body) throws IOException {
        HttpRequest request = request(path)
                .method(method, HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
        HttpResponse<String> response = send(request, HttpResponse.BodyHandlers.ofString());
        return new Answer(response.statusCode(), response.headers(), Json.parse(response.body()));
    }

    Answer get(String path) throws IOException {
        return say("GET", path, "");
    }

    Answer post(String path, String body) throws IOException {
        return say("POST", path, body);
    }

    HttpClient client() {
        return client;
    }

    /** What comes back to bytes that no client library would send, until the server ends the connection. */
    String raw(String text) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(text.replace("\n", "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
        server.close();
        door.close();
        house.close();
    }
}
