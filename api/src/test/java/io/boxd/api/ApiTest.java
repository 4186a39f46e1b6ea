package io.boxd.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.verbs.HistoryVerbs;
import io.boxd.verbs.Route;
import io.boxd.verbs.Verb;
import io.boxd.verbs.Verbs;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests and answers over real sockets. */
@Tag("unit")
class ApiTest {
    private final TestingDoor door = new TestingDoor();

    @AfterEach
    void close() {
        door.close();
    }

    @Test
    void everyVerbOfTheTableHasARouteAndEveryRouteAVerb() {
        Set<String> routed = new HashSet<>();
        for (Routes.Entry entry : new Routes().entries()) {
            switch (entry.target()) {
                case Routes.Target.Call(Verb verb) -> {
                    assertThat(door.house().control().verbs()).contains(verb.name());
                    routed.add(verb.name());
                }
                case Routes.Target.Stream(Verb verb) -> {
                    assertThat(verb.route().method()).isEqualTo(Route.Method.SOCKET);
                    routed.add(verb.name());
                }
                case Routes.Target.Events(Verb verb) ->
                    assertThat(verb.route().method()).isEqualTo(Route.Method.SOCKET);
                case Routes.Target.Follow(Verb verb) ->
                    assertThat(HistoryVerbs.isFollowed(verb)).isTrue();
                case Routes.Target.Files(Routes.FileRequest _) ->
                    assertThat(entry.pieces()).contains("{box}");
                case Routes.Target.Entrance(Routes.EntranceRequest _) ->
                    assertThat(entry.pieces()).first().isEqualTo("v1");
                case Routes.Target.Own(Routes.OwnRequest _) ->
                    assertThat(entry.pieces()).hasSize(1);
            }
        }
        assertThat(routed)
                .containsExactlyInAnyOrderElementsOf(
                        Verbs.all().stream().map(Verb::name).toList());
    }

    @Test
    void aRepeatedRequestWithTheSameKeyIsAnsweredWithWhatItMade() throws IOException {
        HttpRequest request = door.request("/v1/boxes")
                .header("Idempotency-Key", "0b6f2f9c")
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build();
        HttpResponse<String> first = door.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(door.send(request, HttpResponse.BodyHandlers.ofString()).body())
                .isEqualTo(first.body());
        assertThat(door.get("/v1/boxes?all=true").json()).hasSize(1);
        HttpRequest elsewhere = door.request("/v1/boxes")
                .header("Idempotency-Key", "0b6f2f9c")
                .GET()
                .build();
        assertThat(door.send(elsewhere, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(400);
    }

    @Test
    void noTwoRoutesMeanTheSame() {
        Set<String> seen = new HashSet<>();
        for (Routes.Entry entry : new Routes().entries()) {
            String shape = entry.method() + String.join("/", entry.pieces()).replaceAll("\\{[^}]*}", "*");
            assertThat(seen.add(shape)).as(shape).isTrue();
        }
    }

    @Test
    void boxesAreMadeAskedForAndDestroyed() throws IOException {
        TestingDoor.Answer made = door.post("/v1/boxes", "{'name':'task-1','labels':{'job':'x'}}");
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.json().path("name").asString()).isEqualTo("task-1");
        assertThat(door.get("/v1/boxes/task-1").json()).isEqualTo(made.json());
        assertThat(door.get("/v1/boxes?labels=job%3Dx&all=true").json()).hasSize(1);
        assertThat(door.get("/v1/boxes?labels=job%3Dy").json()).isEmpty();
        assertThat(door.post("/v1/boxes/task-1/pause", "")
                        .json()
                        .path("changed")
                        .asBoolean())
                .isTrue();
        assertThat(door.post("/v1/boxes/task-1/snapshots", "{'label':'clean'}").status())
                .isEqualTo(201);
        assertThat(door.get("/v1/snapshots?box=task-1").json()).hasSize(1);
        assertThat(door.say("DELETE", "/v1/snapshots/clean", "").status()).isEqualTo(200);
        assertThat(door.post("/v1/boxes/task-1/fork", "{'count':2}").json()).hasSize(2);
        assertThat(door.get("/v1/boxes/task-1/timeline").json().path("nodes")).hasSize(3);
        assertThat(door.get("/v1/top").json()).hasSize(3);
        assertThat(door.get("/v1/status").json().path("ports").path("http").asInt())
                .isEqualTo(1);
        assertThat(door.post("/v1/destroy", "{'boxes':['task-1'],'tree':true}")
                        .json()
                        .path("destroyed"))
                .hasSize(3);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "GET|/v1/boxes/nobody||404|not_found",
                "GET|/v1/nonsense||404|not_found",
                "GET|/||404|not_found",
                "PATCH|/v1/boxes||405|not_found",
                "GET|/v1/boxes/a/exec||426|invalid_argument",
                "POST|/v1/boxes?no=1|{}|400|invalid_argument",
                "POST|/v1/boxes|{'name':null}|400|invalid_argument",
                "POST|/v1/boxes/a/resize|{}|400|invalid_argument",
                "GET|/v1/boxes?all=||400|invalid_argument",
                "GET|/healthz?no=1||400|invalid_argument",
                "POST|/v1/boxes|{'nam':'x'}|400|invalid_argument",
                "POST|/v1/boxes|{|400|invalid_argument",
                "POST|/v1/boxes|[]|400|invalid_argument",
                "POST|/v1/boxes|{'name':'a'}|409|already_exists",
                "POST|/v1/boxes/a/rename|{'box':'b','name':'c'}|400|invalid_argument",
                "GET|/v1/boxes?all=maybe||400|invalid_argument",
                "GET|/v1/boxes?labels=x||400|invalid_argument",
                "GET|/v1/boxes?all=1&all=1||400|invalid_argument",
                "GET|/v1/boxes?no=1||400|invalid_argument",
                "GET|/v1/boxes/a/files||400|invalid_argument",
                "GET|/v1/boxes/a/files?path=x&y=z||400|invalid_argument"
            })
    void mistakesAreToldWithStatusAndCode(String method, String path, String body, int status, String code)
            throws IOException {
        door.house().boxes().add("a");
        TestingDoor.Answer answer = door.say(method, path, body == null ? "" : body);
        assertThat(answer.code()).isEqualTo(code);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.json().path("error").path("message").asString()).isNotBlank();
    }

    @Test
    void encodedNamesDoNotLeadElsewhere() throws IOException {
        door.house().boxes().add("a");
        assertThat(door.get("/v1/boxes/a%2Fwhy").code()).isEqualTo("invalid_argument");
        assertThat(door.get("/v1/boxes/%61").status()).isEqualTo(200);
        assertThat(door.raw("GET /v1/boxes/a%zz HTTP/1.1\nHost: localhost\nAuthorization: Bearer " + TestingDoor.SECRET
                        + "\nConnection: close\n\n"))
                .startsWith("HTTP/1.1 400")
                .contains("invalid_argument");
    }

    @Test
    void withoutTheTokenNothingIsTold() throws IOException {
        for (String header : new String[] {
            "",
            "Authorization: Bearer wrong\n",
            "Authorization: Basic " + TestingDoor.SECRET + "\n",
            "Authorization: " + TestingDoor.SECRET + "\n",
            "Authorization: Bearer\n",
            "Authorization: Bearer x\nAuthorization: Bearer " + TestingDoor.SECRET + "\n"
        }) {
            String answer = door.raw("GET /v1/boxes HTTP/1.1\nHost: localhost\n" + header + "Connection: close\n\n");
            assertThat(answer).as(header).startsWith("HTTP/1.1 401").contains("unauthenticated");
        }
        String good = "GET /v1/boxes HTTP/1.1\nHost: localhost\nConnection: close\nAuthorization: bearer "
                + TestingDoor.SECRET + "\n\n";
        assertThat(door.raw(good)).startsWith("HTTP/1.1 200");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"evil.example", "evil.example:8080", "127.0.0.1.evil.example", "boxd.localhost.evil", "10.0.0.1"
            })
    void otherHostNamesAreRefusedSoThatNoPageCanRebindOne(String host) throws IOException {
        String answer = door.raw("GET /v1/boxes HTTP/1.1\nHost: " + host + "\nAuthorization: Bearer "
                + TestingDoor.SECRET + "\nConnection: close\n\n");
        assertThat(answer).startsWith("HTTP/1.1 403").contains("permission_denied");
        assertThat(door.raw("GET /healthz HTTP/1.1\nHost: " + host + "\nConnection: close\n\n"))
                .startsWith("HTTP/1.1 403");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LOCALHOST:99",
                "127.0.0.1",
                "127.0.0.1:8080",
                "boxd.localhost",
                "api.boxd.localhost:1"
            })
    void ownHostNamesAreAnswered(String host) throws IOException {
        assertThat(door.raw("GET /healthz HTTP/1.1\nHost: " + host + "\nConnection: close\n\n"))
                .startsWith("HTTP/1.1 200");
    }

    @Test
    void pagesOfOthersAreRefused() throws IOException {
        String start = "GET /v1/boxes HTTP/1.1\nHost: localhost:8080\nConnection: close\nAuthorization: Bearer "
                + TestingDoor.SECRET + "\nOrigin: ";
        assertThat(door.raw(start + "http://evil.example\n\n")).startsWith("HTTP/1.1 403");
        assertThat(door.raw(start + "null\n\n")).startsWith("HTTP/1.1 403");
        assertThat(door.raw(start + "http://localhost:8081\n\n")).startsWith("HTTP/1.1 403");
        assertThat(door.raw(start + "http://localhost:8080\n\n")).startsWith("HTTP/1.1 200");
    }

    @Test
    void requestsAreBounded() throws IOException {
        String padding = "x".repeat(40_000);
        assertThat(door.raw("GET /healthz HTTP/1.1\nHost: localhost\nX: " + padding + "\n\n"))
                .startsWith("HTTP/1.1 431");
        TestingDoor.Answer answer = door.post("/v1/boxes", "{'name':'" + "x".repeat(1 << 20) + "'}");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().path("error").path("message").asString()).contains("at most");
        String deep = "[".repeat(5000);
        assertThat(door.post("/v1/boxes", "{'name':" + deep + "}").status()).isEqualTo(400);
    }

    @Test
    void aliveIsNotReady() throws IOException {
        HttpRequest ready =
                HttpRequest.newBuilder(door.request("/readyz").build().uri()).build();
        assertThat(door.send(ready, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(200);
        door.setObstacle("the image is being built");
        HttpResponse<String> answer = door.send(ready, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("the image is being built");
        assertThat(door.get("/healthz").status()).isEqualTo(200);
    }
}
