package io.boxd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Logs, and the verbs that this door does by itself. */
@Tag("unit")
@Timeout(60)
final class LogsTest {
    private static final String LOGS = "SOCKET /v1/boxes/b/logs";

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
    void followingGoesOnAfterABreak() {
        AtomicInteger times = new AtomicInteger();
        server.on(LOGS, (heard, exchange) -> {
            Map<String, ?> start = exchange.accept().values();
            if (times.incrementAndGet() == 1) {
                assertThat(start).isEqualTo(Map.of("follow", true, "offset", 0L));
                exchange.started("ex_9", 0, false);
                exchange.output(1, "one ");
                exchange.breakOff();
            } else {
                assertThat(start).isEqualTo(Map.of("follow", true, "offset", 4L, "exec_id", "ex_9"));
                exchange.started("ex_9", 4, false);
                exchange.output(1, "two");
                exchange.ended(5);
            }
        });
        Ran ran = Ran.line(server.environment(), "logs", "b", "-f");
        assertThat(ran).isEqualTo(new Ran(0, "one two", ""));
    }

    @Test
    void asJsonItIsOneValueOrWhenFollowingOneALine() {
        server.on(LOGS, (heard, exchange) -> {
            exchange.accept();
            exchange.started("ex_9", 0, false);
            exchange.output(1, "out");
            exchange.output(2, "err");
            exchange.ended(5);
        });
        assertThat(Ran.line(server.environment(), "logs", "b", "--json").output())
                .startsWith("{\"exec_id\":\"ex_9\",\"output\":\"outerr\",\"stdout\":\"out\",\"stderr\":\"err\"");
        assertThat(Ran.line(server.environment(), "logs", "b", "--json", "-f")
                        .output()
                        .lines())
                .hasSize(3)
                .allMatch(line -> line.startsWith("{") && line.endsWith("}"))
                .last()
                .asString()
                .startsWith("{\"ended\":");
    }

    @Test
    void anErrorIsNoLog() {
        server.on(LOGS, (heard, exchange) -> exchange.error(404, "not_found", "no executions"));
        assertThat(Ran.line(server.environment(), "logs", "b").status()).isEqualTo(3);
    }

    @Test
    void topIsShownOnceWhereThereIsNoTerminal() {
        server.json(
                "GET /v1/top",
                200,
                "[{\"box\":{\"id\":\"bx_1\",\"name\":\"b\",\"status\":\"running\"},\"cpu_percent\":1.25}]");
        assertThat(Ran.line(server.environment(), "top").output()).contains("BOX", "running", "1.3");
    }

    @Test
    void theVersionAndCompletionsNeedNoServer() {
        Map<String, String> nowhere = Map.of("BOXD_HOME", "/nowhere");
        assertThat(Ran.line(nowhere, "version").output()).matches("boxd [0-9]+\\.[0-9]+\\..*\n");
        assertThat(Ran.line(nowhere, "--version", "--json").output()).startsWith("{\"version\":\"");
        for (String shell : List.of("bash", "zsh", "fish")) {
            assertThat(Ran.line(nowhere, "completion", shell).output()).contains("completion " + shell + " -- ");
        }
        assertThat(Ran.line(nowhere, "man").output()).startsWith(".TH BOXD 1 20");
        assertThat(Ran.line(nowhere, "man", "--json").output()).startsWith("{\"page\":\".TH ");
    }
}
