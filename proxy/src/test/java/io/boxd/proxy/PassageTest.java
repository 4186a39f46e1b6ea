package io.boxd.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import io.boxd.worker.Move;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Requests by curl, through the door, to an application, and back. */
@Tag("unit")
final class PassageTest {
    private static final long MANY = 50_000_000;
    /** Of so many zeros. */
    private static final String HASH = "ab46920a3bcd0891d34367719808bc3f832e4968ddfbfb464d093e306d2275ad";

    private TestingHouse house;
    private TestingApplication application;

    static {
        // Java knows no names below localhost, so the host is said apart from the address.
        System.setProperty("jdk.httpclient.allowRestrictedHeaders", "host");
    }

    @BeforeEach
    void open() throws IOException {
        house = new TestingHouse();
        house.house().boxes().add("one");
        application = new TestingApplication("127.0.0.1");
    }

    @AfterEach
    void close() {
        application.close();
        house.close();
    }

    private String url(String path) {
        return "http://" + house.host("one", application.port()) + path;
    }

    private static String curl(String... words) {
        List<String> line = new ArrayList<>(List.of("curl", "-s", "-m", "60"));
        line.addAll(List.of(words));
        return Command.of(line).run(Deadline.inSeconds(90)).output();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--http1.1", "--http1.0", "--http2", "--http2-prior-knowledge"})
    void everyVersionPasses(String version) {
        assertThat(curl(version, url("/"))).isEqualTo("hello");
        assertThat(curl(version, "-d", "a=b", url("/head")))
                .startsWith("POST /head\n")
                .contains("Content-length: 3\n", "X-forwarded-proto: http\n", "X-forwarded-for: 127.0.0.1\n");
        assertThat(curl(version, url("/head"))).doesNotContain("chunked").doesNotContain("ontent-length");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--http1.1", "--http2-prior-knowledge"})
    void bodiesOfAnySizePassBothWays(String version) {
        assertThat(curl(version, url("/zeros?" + MANY), "-o", "/dev/null", "-w", "%{size_download}"))
                .isEqualTo(String.valueOf(MANY));
        String upload = "head -c " + MANY + " /dev/zero | curl -s -m 60 " + version + " -T - '" + url("/hash") + "'";
        assertThat(Command.of("sh", "-c", upload).run(Deadline.inSeconds(90)).output())
                .isEqualTo(MANY + " " + HASH);
    }

    @Test
    void answersWithoutABodyHaveNone() {
        assertThat(curl("-I", url("/")))
                .contains("200 OK")
                .doesNotContain("Content-Length")
                .doesNotContain("hello");
        assertThat(curl("-i", url("/unchanged"))).contains("304").doesNotContain("Content-Length");
    }

    @Test
    void aBodyWaitsForLeave() {
        assertThat(curl("-v", "--stderr", "-", "-H", "Expect: 100-continue", "-d", "a=b", url("/head")))
                .contains("100 Continue", "POST /head");
    }

    @Test
    void eventsComeWhenTheyHappen() throws IOException {
        Process client = new ProcessBuilder("curl", "-sN", "-m", "60", url("/events")).start();
        try (var lines = client.inputReader()) {
            for (int i = 0; i < 3; i++) {
                application.happen();
                assertThat(lines.readLine()).isEqualTo("data: " + i);
                assertThat(lines.readLine()).isEmpty();
            }
            assertThat(lines.readLine()).isNull();
        } finally {
            client.destroyForcibly();
        }
    }

    @Test
    void whatListensOnlyInsideIsReached() throws IOException {
        house.house().boxes().reachedAt("127.0.0.2");
        house.house().boxes().add("inner");
        String inner = "http://" + house.host("inner", application.port());
        assertThat(curl(inner)).isEqualTo("hello");
        assertThat(curl(inner + "/zeros?" + MANY, "-o", "/dev/null", "-w", "%{size_download}"))
                .isEqualTo(String.valueOf(MANY));
        try (TestingApplication outer = new TestingApplication("127.0.0.2")) {
            assertThat(curl("http://" + house.host("inner", outer.port()))).isEqualTo("hello");
        }
    }

    @Test
    void cookiesForOthersAreDropped() {
        assertThat(curl("-i", url("/cookies")))
                .contains("own=1", "same=1")
                .doesNotContain("parent=1", "dotted=1", "top=1", "other=1");
    }

    @Test
    void peopleGetAPageAndProgramsGetJson() {
        String nothing = "http://" + house.host("one", 1) + "/";
        assertThat(curl("-i", nothing)).contains("502", "X-Boxd-Error: unavailable", "\"code\":\"unavailable\"");
        assertThat(curl("-i", "-H", "Accept: text/html", nothing)).contains("502", "text/html", "nothing listens");
        assertThat(curl("-i", "http://none." + TestingHouse.DOMAIN + ":" + house.port()))
                .contains("404", "not_found");
    }

    @Test
    void aBoxThatSleepsIsWokenAndOneThatIsStoppedIsNot() {
        house.house().boxes().move("one", Move.HIBERNATE, Deadline.inSeconds(10));
        assertThat(curl(url("/"))).isEqualTo("hello");
        assertThat(house.house().boxes().openHolds()).isZero();
        house.house().boxes().move("one", Move.STOP, Deadline.inSeconds(10));
        assertThat(curl("-i", url("/"))).contains("503", "wrong_state");
    }

    @Test
    void whoOnlyLooksWakesNobody() {
        assertThat(curl("-H", "X-Boxd-Quiet: yes", url("/"))).isEqualTo("hello");
        assertThat(house.house().boxes().holdReasons()).isEmpty();
        house.house().boxes().move("one", Move.HIBERNATE, Deadline.inSeconds(10));
        assertThat(curl("-i", "-H", "X-Boxd-Quiet: yes", url("/"))).contains("200", "X-Boxd-Status: asleep");
        assertThat(house.house().boxes().holdReasons()).isEmpty();
    }

    @Test
    void aPrivateBoxIsNotThereForStrangersAndNotWoken() {
        house.house().say("share", "{'box':'one','private':true}");
        String none = curl("-i", "http://two." + TestingHouse.DOMAIN + ":" + house.port());
        String hidden = curl("-i", "http://one." + TestingHouse.DOMAIN + ":" + house.port());
        assertThat(hidden.replace("box one", "box two")).isEqualTo(none);
        assertThat(house.house().boxes().holdReasons()).isEmpty();
        String token = house.house().say("token create", "{}").path("token").asString();
        assertThat(curl("-H", "Authorization: Bearer " + token, url("/head")))
                .contains("X-boxd-user: ada")
                .doesNotContain(token);
        assertThat(curl("-H", "X-Boxd-Token: " + token, "-H", "Authorization: Basic eA==", url("/head")))
                .contains("X-boxd-user: ada", "Authorization: Basic eA==")
                .doesNotContain(token);
    }

    @Test
    void aLinkLetsInUntilItIsRevoked() {
        house.house().say("share", "{'box':'one','private':true}");
        JsonNode shared = house.house().say("share", "{'box':'one','link_s':60}");
        String query = shared.path("link").asString().replaceAll("^[^?]*", "");
        String moved = curl("-i", url("/head" + query + "&a=b"));
        assertThat(moved).contains("303", "Location: " + url("/head?a=b"), "HttpOnly");
        String cookie = query.substring(1);
        assertThat(curl("-b", cookie, url("/head"))).contains("GET /head").doesNotContain("boxd-link");
        assertThat(curl("-i", "-b", cookie + "x", url("/head"))).contains("404");
        house.house().say("share", "{'box':'one','revoke':true}");
        assertThat(curl("-i", "-b", cookie, url("/head"))).contains("404");
    }

    @Test
    void protocolsCanChange() throws Exception {
        try (EchoingSockets sockets = new EchoingSockets()) {
            URI address = URI.create("ws://127.0.0.1:" + house.port() + "/");
            BlockingQueue<String> heard = new LinkedBlockingQueue<>();
            HttpClient client = HttpClient.newHttpClient();
            WebSocket socket = client.newWebSocketBuilder()
                    .header("Host", house.host("one", sockets.port()))
                    .buildAsync(address, new WebSocket.Listener() {
                        @Override
                        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
                            heard.add(text.toString());
                            from.request(1);
                            return null;
                        }
                    })
                    .get(60, TimeUnit.SECONDS);
            for (String word : List.of("one", "two", "three")) {
                socket.sendText(word, true).get(60, TimeUnit.SECONDS);
                assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo(word);
            }
            assertThat(house.house().boxes().openHolds()).isZero();
            socket.abort();
            client.shutdownNow();
        }
    }
}
