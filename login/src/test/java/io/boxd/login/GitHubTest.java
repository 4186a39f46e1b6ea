package io.boxd.login;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.boxd.common.Deadline;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With answers as GitHub documents them. */
@Tag("unit")
final class GitHubTest {
    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private final Map<String, String> asked = new ConcurrentHashMap<>();
    private final HttpServer server;

    GitHubTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    @BeforeEach
    void start() {
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void end() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        asked.put(path, body + " " + exchange.getRequestHeaders().getFirst("Authorization"));
        byte[] answer = answers.getOrDefault(path, "{}").getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answers.containsKey(path) ? 200 : 404, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    private GitHub gitHub() {
        URI here = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        return new GitHub(new IssuerConfig(here, "boxd", "", List.of("read:org")), here);
    }

    private static Deadline soon() {
        return Deadline.inSeconds(20);
    }

    @Test
    void whoeverAgreedIsAskedForAtOnce() {
        answers.put("/login/device/code", """
                {"device_code":"d1","user_code":"WDJB-MJHT","verification_uri":"https://github.com/login/device",
                 "expires_in":900,"interval":5}""");
        answers.put("/login/oauth/access_token", "{\"error\":\"authorization_pending\"}");
        try (GitHub gitHub = gitHub()) {
            DeviceCode code = gitHub.begin(soon());
            assertThat(code.userCode()).isEqualTo("WDJB-MJHT");
            assertThat(gitHub.poll(code, soon())).isEqualTo(new Progress.Pending(false));
            answers.put("/login/oauth/access_token", "{\"error\":\"slow_down\",\"interval\":10}");
            assertThat(gitHub.poll(code, soon())).isEqualTo(new Progress.Pending(true));
            answers.put("/login/oauth/access_token", "{\"access_token\":\"gho_1\",\"token_type\":\"bearer\"}");
            answers.put("/user", "{\"id\":583231,\"login\":\"octocat\",\"email\":\"anything@example.org\"}");
            answers.put("/user/orgs", "[{\"login\":\"github\"}]");
            Progress done = gitHub.poll(code, soon());
            assertThat(done).isInstanceOfSatisfying(Progress.Done.class, it -> {
                assertThat(it.person().subject()).isEqualTo("583231");
                assertThat(it.person().name()).contains("octocat");
                assertThat(it.person().email()).as("nobody vouches for it").isEmpty();
                assertThat(it.person().organisations()).containsExactly("github");
            });
        }
        assertThat(asked.get("/login/oauth/access_token")).contains("device_code=d1", "client_id=boxd");
        assertThat(asked.get("/user")).contains("Bearer gho_1");
    }

    @Test
    void withoutANumberNobodyIsKnown() {
        answers.put("/login/oauth/access_token", "{\"access_token\":\"gho_1\"}");
        answers.put("/user", "{\"login\":\"octocat\"}");
        try (GitHub gitHub = gitHub()) {
            DeviceCode code = new DeviceCode("d1", "", "X", "", "", Duration.ofMinutes(1), Duration.ofSeconds(5));
            assertThat(gitHub.poll(code, soon())).isInstanceOf(Progress.Failed.class);
            answers.put("/login/oauth/access_token", "{\"error\":\"access_denied\"}");
            assertThat(gitHub.poll(code, soon()))
                    .isInstanceOfSatisfying(
                            Progress.Failed.class, it -> assertThat(it.reason()).contains("declined"));
            answers.put("/login/oauth/access_token", "{\"error\":\"<script>\"}");
            assertThat(gitHub.poll(code, soon()))
                    .isInstanceOfSatisfying(
                            Progress.Failed.class, it -> assertThat(it.reason()).doesNotContain("<"));
        }
    }
}
