package io.boxd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.PlainJson;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Verbs that are one request and one answer, and what goes wrong with them. */
@Tag("unit")
final class AskingTest {
    private static final String BOX =
            "{\"id\":\"bx_1\",\"name\":\"task-1\",\"status\":\"running\",\"cpus\":2,\"memory_bytes\":8589934592}";

    private TestingServer server;

    @BeforeEach
    void start() throws IOException {
        server = new TestingServer();
    }

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    @Test
    void anAnswerIsShownAsTextOrPassedOnAsJson() {
        server.json("GET /v1/boxes", 200, "[" + BOX + "]\n");
        Ran text = Ran.line(server.environment(), "list");
        assertThat(text.status()).isZero();
        assertThat(text.output()).contains("NAME", "task-1", "running", "8G");
        assertThat(text.errors()).isEmpty();
        Ran json = Ran.line(server.environment(), "ls", "--json", "--all");
        assertThat(json.output()).isEqualTo("[" + BOX + "]\n");
        assertThat(server.heard().getLast().target()).isEqualTo("/v1/boxes?all=true");
    }

    @Test
    void parametersOfAPostStandInItsBody() {
        server.json("POST /v1/boxes", 201, BOX);
        Ran ran = Ran.line(server.environment(), "new", "--name=task-1", "--memory", "8G", "-e", "A=ü");
        assertThat(ran.output()).contains("task-1 is running");
        assertThat(PlainJson.parse(server.heard().getFirst().body()))
                .isEqualTo(Map.of("name", "task-1", "memory_bytes", 8L << 30, "env", Map.of("A", "ü")));
    }

    @Test
    void answersInChunksArePutTogether() {
        server.on("GET /v1/boxes/b", (heard, exchange) -> {
            try (OutputStream chunks = exchange.chunks(Map.of())) {
                for (byte each : BOX.getBytes(StandardCharsets.UTF_8)) {
                    chunks.write(each);
                    chunks.flush();
                }
            }
        });
        assertThat(Ran.line(server.environment(), "info", "b", "--json").output())
                .isEqualTo(BOX + "\n");
    }

    @ParameterizedTest
    @CsvSource({
        "400, invalid_argument, 2", "401, unauthenticated, 5", "403, permission_denied, 5", "404, not_found, 3",
        "409, already_exists, 4", "409, wrong_state, 4", "429, quota_exceeded, 6", "429, resource_exhausted, 6",
        "504, timeout, 7", "503, unavailable, 7", "500, internal, 1"
    })
    void errorsHaveTheirStatusAHintAndAJsonForm(int status, String code, int exit) {
        server.on("GET /v1/boxes/b", (heard, exchange) -> exchange.error(status, code, "it \u001b[31m failed"));
        Ran text = Ran.line(server.environment(), "info", "b");
        assertThat(text.status()).isEqualTo(exit);
        assertThat(text.output()).isEmpty();
        assertThat(text.errors()).isEqualTo("boxd: it \uFFFD[31m failed\n  do better\n");
        Ran json = Ran.line(server.environment(), "info", "b", "--json");
        assertThat(json.status()).isEqualTo(exit);
        assertThat(PlainJson.parse(json.errors()))
                .isEqualTo(
                        Map.of("error", Map.of("code", code, "message", "it \u001b[31m failed", "hint", "do better")));
    }

    @Test
    void mistakesOfTheLineAreToldWithoutAServer() {
        Ran ran = Ran.line(Map.of("BOXD_HOME", "/nowhere"), "lst", "--json");
        assertThat(ran.status()).isEqualTo(2);
        assertThat(ran.errors()).contains("invalid_argument", "Did you mean 'list'");
        assertThat(Ran.line(Map.of("BOXD_HOME", "/nowhere"), "help").output()).contains("snapshot save");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[]",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\r\n[]",
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
                "SSH-2.0-OpenSSH\r\n\r\n",
                "HTTP/1.1 200",
                ""
            })
    void answersThatBreakOffOrAreNoneAreErrors(String answer) throws IOException {
        server.on("GET /v1/boxes", (heard, exchange) -> exchange.raw(answer));
        Ran ran = Ran.line(server.environment(), "list", "--json");
        assertThat(ran.status()).isEqualTo(7);
        assertThat(ran.output()).isEmpty();
        assertThat(ran.errors()).contains("\"unavailable\"");
    }

    @Test
    void theInstanceOfTheHomeIsFound(@TempDir Path home) throws IOException {
        server.json("GET /v1/boxes", 200, "[]");
        server.settle(home);
        assertThat(Ran.line(Map.of("BOXD_HOME", home.toString()), "list").output())
                .startsWith("No boxes.");
        assertThat(Ran.line(Map.of("BOXD_HOME", home.toString(), "BOXD_TOKEN", "wrong"), "list")
                        .status())
                .isEqualTo(5);
    }

    @Test
    void withoutAServerOneIsToldWhatToDo(@TempDir Path home) throws IOException {
        Ran none = Ran.line(Map.of("BOXD_HOME", home.toString()), "list");
        assertThat(none.status()).isEqualTo(7);
        assertThat(none.errors()).contains("boxd is not running here", "sudo boxd up");
        server.settle(home);
        server.close();
        Ran dead = Ran.line(Map.of("BOXD_HOME", home.toString()), "list");
        assertThat(dead.status()).isEqualTo(7);
        assertThat(dead.errors()).contains("boxd is not running here", "sudo boxd up");
        Ran tokenless = Ran.line(Map.of("BOXD_URL", "http://127.0.0.1:1"), "list");
        assertThat(tokenless.status()).isEqualTo(5);
        assertThat(tokenless.errors()).contains("BOXD_TOKEN");
        for (String url : List.of("ftp://127.0.0.1", "127.0.0.1:80", "http://127.0.0.1/path", "http://u@127.0.0.1")) {
            Ran unusable = Ran.line(Map.of("BOXD_URL", url, "BOXD_TOKEN", "x"), "list");
            assertThat(unusable.status()).as(url).isEqualTo(2);
        }
    }
}
