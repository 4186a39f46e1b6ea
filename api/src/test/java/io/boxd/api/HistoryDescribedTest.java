package io.boxd.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.chronicle.Event;
import io.boxd.common.Json;
import io.boxd.verbs.HistoryVerbs;
import io.boxd.verbs.Topic;
import io.boxd.verbs.Verb;
import io.boxd.verbs.Verbs;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Events, the audit and webhooks answer, and go on telling, as the server's document says. */
@Tag("unit")
@Timeout(120)
class HistoryDescribedTest {
    private static final String NOWHERE = "http://127.0.0.1:1/";

    private final TestingDoor door = new TestingDoor();
    private Described described;

    @BeforeEach
    void read() throws IOException {
        described = new Described(door);
    }

    @AfterEach
    void close() {
        door.close();
    }

    private static void publish(TestingDoor door) {
        door.house()
                .chronicle()
                .feed()
                .publish(new Event.Draft(
                        Instant.now(),
                        "forked",
                        Optional.of("bx_1"),
                        Optional.of("one"),
                        Optional.empty(),
                        Optional.of("starting"),
                        "somebody asked for it",
                        Optional.of("rq_1"),
                        Map.of("parent", "bx_0", "sizes", Map.of("cpus", 2))));
    }

    /** Asks for each operation of this topic once; what it answers is as described. */
    static void ask(Described described, TestingDoor door) throws IOException {
        publish(door);
        String id = described
                .ask("webhookAdd", "/v1/webhooks", "{'url':'" + NOWHERE + "','events':'ready,gap'}")
                .path("id")
                .asString();
        described.ask("webhookAdd", "/v1/webhooks", "{'url':'" + NOWHERE + "','secret':'one that is brought'}");
        Files.writeString(door.house().home().resolve("webhooks/" + id + ".dead"), letters(id));
        assertThat(described.ask("webhookDeadList", "/v1/webhooks/dead?webhook=" + id, ""))
                .hasSize(2);
        described.ask("webhookDeadRm", "/v1/webhooks/" + id + "/dead?sequence=7", "");
        described.ask("webhookDeadRetry", "/v1/webhooks/" + id + "/dead/retry", "{'sequence':8}");
        described.ask("webhookTest", "/v1/webhooks/" + id + "/test", "");
        described.ask("webhookList", "/v1/webhooks", "");
        described.ask("webhookRm", "/v1/webhooks/" + id, "");
        assertThat(described
                        .ask("events", "/v1/events?after=0&limit=1&since_s=60", "")
                        .path("events"))
                .isNotEmpty();
        described.ask("events", "/v1/events?box=one", "");
        assertThat(described.ask("audit", "/v1/audit?limit=3&after=1", "")).isNotEmpty();
        described.ask("audit", "/v1/audit?verb=new&since_s=60&box=one", "");
        described.ask("auditVerify", "/v1/audit/verify", "");
    }

    private static String letters(String hook) {
        String event = "{'sequence':%d,'at':'2026-11-18T10:00:00Z','kind':'ready','subject':'bx_1','name':'one',"
                + "'status':'running','cause':'it is new','request':null,'details':{}}";
        String letter = "{'hook':'" + hook + "','event':" + event
                + ",'at':'2026-11-19T10:00:00Z','attempts':9,'failure':'it answered with status 503'}";
        return ("{'letters':[" + letter.formatted(7) + "," + letter.formatted(8) + "]}").replace('\'', '"');
    }

    @Test
    void everyOperationAnswersAsDescribed() throws IOException {
        ask(described, door);
        for (Verb verb : Verbs.all()) {
            if (verb.topic() == Topic.HISTORY) {
                Described.Operation operation = described.operation(Operations.id(verb));
                assertThat(described.seen(operation)).as(operation.id()).isNotEmpty();
            }
        }
    }

    @Test
    void damageIsToldAsDescribed() throws IOException {
        door.post("/v1/boxes", "{'name':'one'}");
        assertThat(door.get("/v1/audit").json()).isNotEmpty();
        var file = door.house().home().resolve("audit/audit-00000001.log");
        Files.writeString(file, Files.readString(file).replace("\"verb\":\"new\"", "\"verb\":\"old\""));
        JsonNode verification = described.ask("auditVerify", "/v1/audit/verify", "");
        assertThat(verification.path("whole").asBoolean()).isFalse();
        assertThat(verification.path("findings")).isNotEmpty();
    }

    /** Both streams of each verb: every message and every event fits what is described, and nothing else would. */
    @Test
    void whatGoesOnIsToldAsDescribed() throws IOException {
        for (Verb verb : Verbs.all().stream().filter(HistoryVerbs::isFollowed).toList()) {
            Described.Operation operation = described.operation(verb.name());
            String kind = verb.name().equals("audit") ? "entry" : "event";
            publish(door);
            door.post("/v1/boxes", "{}");
            JsonNode messages = operation.json().path("x-boxd-messages");
            assertThat(problems(messages.path("client"), Json.parse("{\"start\":{\"after\":0}}")))
                    .isEmpty();
            assertThat(problems(messages.path("client"), Json.parse("{\"start\":{\"limit\":1}}")))
                    .isNotEmpty();
            try (TestingSocket socket =
                    TestingSocket.open(door, "/v1/" + verb.name()).say("{'start':{'after':0}}")) {
                for (String expected : List.of("started", kind)) {
                    JsonNode message = Objects.requireNonNull(socket.next().text());
                    assertThat(problems(messages.path("server"), message)).isEmpty();
                    assertThat(message.has(expected)).as(message.toString()).isTrue();
                }
            }
            JsonNode events = operation.json().path("x-boxd-events");
            List<JsonNode> told = serverSent(verb);
            assertThat(problems(events.path("started"), told.getFirst())).isEmpty();
            assertThat(problems(events.path(kind), told.getLast())).isEmpty();
            assertThat(problems(events.path(kind), told.getFirst())).isNotEmpty();
        }
    }

    private List<String> problems(JsonNode schema, JsonNode value) {
        return described.schemas().problems(schema, value);
    }

    /** The data of the first two server-sent events. */
    private List<JsonNode> serverSent(Verb verb) throws IOException {
        HttpRequest request = door.request("/v1/" + verb.name())
                .header("Accept", "text/event-stream")
                .header("Last-Event-ID", "0")
                .build();
        HttpResponse<InputStream> response = door.send(request, HttpResponse.BodyHandlers.ofInputStream());
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            return lines.lines()
                    .filter(line -> line.startsWith("data: "))
                    .limit(2)
                    .map(line -> Json.parse(line.substring(6)))
                    .toList();
        }
    }
}
