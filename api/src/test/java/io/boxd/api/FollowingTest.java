package io.boxd.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.chronicle.Event;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** What goes on being told, over WebSockets and as server-sent events, and who was turned away. */
@Tag("unit")
@Timeout(120)
class FollowingTest {
    private final TestingDoor door = new TestingDoor();

    @AfterEach
    void close() {
        door.close();
    }

    private void publish(String kind) {
        door.house()
                .chronicle()
                .feed()
                .publish(new Event.Draft(
                        Instant.now(),
                        kind,
                        Optional.of("bx_1"),
                        Optional.of("one"),
                        Optional.empty(),
                        Optional.of("running"),
                        "because",
                        Optional.of("rq_of-a-test"),
                        Map.of()));
    }

    /** The lines of an answer that goes on, up to so many events. */
    private List<String> told(HttpRequest request, int events) throws IOException {
        HttpResponse<InputStream> response = door.send(request, HttpResponse.BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).contains("text/event-stream");
        List<String> lines = new ArrayList<>();
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            int seen = 0;
            while (seen < events) {
                String line = reader.readLine();
                seen += line.startsWith("data: ") ? 1 : 0;
                lines.add(line);
            }
        }
        return lines;
    }

    @Test
    void serverSentEventsHaveIdsAndGoOnBehindTheLastOneSeen() throws IOException {
        for (String kind : List.of("created", "ready", "paused")) {
            publish(kind);
        }
        HttpRequest.Builder request = door.request("/v1/events").header("Accept", "text/event-stream");
        List<String> all = told(request.copy().header("Last-Event-ID", "0").build(), 4);
        assertThat(all).contains("event: started", "id: 0", "id: 1", "id: 2", "id: 3", "event: event");
        assertThat(all.toString()).contains("\"kind\":\"created\"", "\"request_id\":\"rq_of-a-test\"");
        List<String> rest = told(request.copy().header("Last-Event-ID", "2").build(), 2);
        assertThat(rest).contains("event: started", "id: 2", "id: 3").doesNotContain("id: 1");
        HttpResponse<String> wrong = door.send(
                request.copy().header("Last-Event-ID", "three").build(), HttpResponse.BodyHandlers.ofString());
        assertThat(wrong.statusCode()).isEqualTo(400);
        HttpResponse<String> bounded = door.send(
                door.request("/v1/events?limit=3")
                        .header("Accept", "text/event-stream")
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(bounded.statusCode()).as("a stream has no number of things").isEqualTo(400);
    }

    @Test
    void alsoTheAuditIsGoneOnWithBehindTheLastEntrySeen() throws IOException {
        for (String name : List.of("one", "two", "three")) {
            door.post("/v1/boxes", "{'name':'" + name + "'}");
        }
        long last = door.get("/v1/audit")
                .json()
                .valueStream()
                .mapToLong(entry -> entry.path("sequence").asLong())
                .max()
                .orElseThrow();
        HttpRequest.Builder request = door.request("/v1/audit").header("Accept", "text/event-stream");
        List<String> rest =
                told(request.header("Last-Event-ID", String.valueOf(last - 2)).build(), 3);
        assertThat(rest).contains("event: entry", "id: " + (last - 1), "id: " + last);
        assertThat(rest.toString()).contains("two", "three").doesNotContain("one");
    }

    /** Whoever only looks into it gets an answer, as from every other path. */
    @Test
    void withoutAskingForEventsThereIsOneAnswer() throws IOException {
        for (String accepted : List.of("*/*", "application/json", "text/html, text/event-stream")) {
            HttpRequest request =
                    door.request("/v1/events").header("Accept", accepted).build();
            assertThat(door.send(request, HttpResponse.BodyHandlers.ofString())
                            .headers()
                            .firstValue("Content-Type"))
                    .as(accepted)
                    .contains("application/json");
        }
    }

    @Test
    void aSocketTellsWhatComes() {
        try (TestingSocket socket = TestingSocket.open(door, "/v1/events").say("{'start':{'since_s':3600}}")) {
            assertThat(socket.await("started").path("after").asLong()).isZero();
            publish("created");
            JsonNode event = socket.await("event");
            assertThat(event.path("kind").asString()).isEqualTo("created");
            assertThat(event.path("sequence").asLong()).isEqualTo(1);
        }
        try (TestingSocket socket = TestingSocket.open(door, "/v1/events").say("{'start':{'nonsense':1}}")) {
            TestingSocket.Message message = socket.next();
            assertThat(String.valueOf(message.text())).contains("invalid_argument");
        }
    }

    @Test
    void theAuditKnowsWhoCameThroughThisDoorAndWhoDidNot() throws IOException {
        door.post("/v1/boxes", "{'name':'one'}");
        HttpRequest stranger = HttpRequest.newBuilder(
                        java.net.URI.create("http://127.0.0.1:" + door.port() + "/v1/boxes"))
                .header("Authorization", "Bearer guessed")
                .header("X-Request-Id", "of-a-stranger")
                .build();
        assertThat(door.send(stranger, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(401);
        JsonNode entries = door.get("/v1/audit").json();
        List<String> shown = entries.valueStream()
                .filter(entry -> entry.path("kind").asString().equals("deed"))
                .map(entry -> entry.path("account").asString() + " "
                        + entry.path("door").asString() + " "
                        + entry.path("remote").asString() + " "
                        + entry.path("verb").asString() + " "
                        + entry.path("outcome").asString() + " "
                        + entry.path("request_id").asString().replaceAll("^rq_[0-9a-f]{16}$", "rq"))
                .toList();
        assertThat(shown)
                .containsExactly(
                        "ada http 127.0.0.1 new ok rq",
                        "unknown http 127.0.0.1 GET /v1/boxes unauthenticated of-a-stranger");
        assertThat(entries.toString()).doesNotContain("guessed").doesNotContain(TestingDoor.SECRET);
        assertThat(door.get("/v1/audit/verify").json().path("whole").asBoolean())
                .isTrue();
    }

    /** Who may not come in cannot fill the disk: of one address few refusals get an entry, the others are counted. */
    @Test
    void refusalsOfOneAddressAreNotAllWrittenDown() throws IOException {
        int refused = 200;
        for (int i = 0; i < refused; i++) {
            assertThat(door.raw("GET /v1/boxes HTTP/1.1\nHost: evil.example\nConnection: close\n\n"))
                    .startsWith("HTTP/1.1 403");
        }
        long written = 0;
        long counted = 0;
        for (JsonNode entry : door.get("/v1/audit?limit=1000").json()) {
            written += entry.path("outcome").asString("").equals("permission_denied") ? 1 : 0;
            counted += entry.path("kind").asString().equals("lost")
                    ? entry.path("count").asLong()
                    : 0;
        }
        assertThat(written).isBetween(1L, refused / 2L);
        assertThat(written + counted).isEqualTo(refused);
    }
}
