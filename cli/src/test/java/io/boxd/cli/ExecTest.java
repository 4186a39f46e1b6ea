package io.boxd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.PlainJson;
import io.boxd.console.Console;
import io.boxd.verbs.Fields;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands in a box: streams, statuses, and breaks in the middle. */
@Tag("unit")
@Timeout(60)
final class ExecTest {
    private static final String EXEC = "SOCKET /v1/boxes/b/exec";
    private static final String ATTACH = "SOCKET /v1/boxes/b/executions/ex_1/attach";

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
    void bothStreamsComeApartAndTheStatusPassesThrough() {
        AtomicReference<Fields> start = new AtomicReference<>();
        server.on(EXEC, (heard, exchange) -> {
            start.set(exchange.accept());
            exchange.started("ex_1", 0, false);
            exchange.output(1, "out ü\n");
            exchange.output(2, "err\n");
            exchange.output(1, "x".repeat(30_000));
            exchange.ended(42);
        });
        Ran ran = Ran.line(server.environment(), "exec", "b", "-e", "A=1", "--timeout", "1m", "--", "ls", "-l");
        assertThat(ran.status()).isEqualTo(42);
        assertThat(ran.output()).isEqualTo("out ü\n" + "x".repeat(30_000));
        assertThat(ran.errors()).isEqualTo("err\n");
        assertThat(start.get().values())
                .isEqualTo(Map.of(
                        "env",
                        Map.of("A", "1"),
                        "timeout_s",
                        60L,
                        "argv",
                        List.of("ls", "-l"),
                        "stdin",
                        true,
                        "interactive",
                        false));
        assertThat(server.heard().getFirst().headers()).containsEntry("sec-websocket-protocol", "boxd.v1");
    }

    @Test
    void endsThatAreNoExitHaveTheirOwnStatus() {
        server.on(EXEC, (heard, exchange) -> {
            exchange.accept();
            exchange.started("ex_1", 0, false);
            exchange.killed("KILL");
        });
        assertThat(Ran.line(server.environment(), "exec", "b", "x").status()).isEqualTo(128 + 9);
        server.on(EXEC, (heard, exchange) -> {
            exchange.accept();
            exchange.started("ex_1", 0, false);
            exchange.say(Map.of("ended", Map.of("signal", "KILL", "timed_out", true)));
        });
        assertThat(Ran.line(server.environment(), "exec", "b", "x").status()).isEqualTo(124);
        server.on(EXEC, (heard, exchange) -> exchange.error(404, "not_found", "no such box"));
        Ran none = Ran.line(server.environment(), "exec", "b", "x");
        assertThat(none.status()).isEqualTo(125);
        assertThat(none.errors()).isEqualTo("boxd: no such box\n  do better\n");
        server.on(EXEC, (heard, exchange) -> {
            exchange.accept();
            exchange.say(Map.of("error", Map.of("code", "wrong_state", "message", "it failed")));
        });
        assertThat(Ran.line(server.environment(), "exec", "b", "x").status()).isEqualTo(125);
    }

    @Test
    void inputIsSentNoFasterThanItIsTaken() {
        List<String> inputs = new ArrayList<>();
        server.on(EXEC, (heard, exchange) -> {
            exchange.accept();
            exchange.started("ex_1", 0, false);
            exchange.say(Map.of("input_credit", 3));
            inputs.add(exchange.text());
            exchange.say(Map.of("input_credit", 100));
            inputs.add(exchange.text());
            inputs.add(exchange.text());
            exchange.ended(0);
        });
        Ran.withInput(server.environment(), input("hello"), "exec", "b", "cat");
        assertThat(inputs).containsExactly("input:hel", "input:lo", "{\"end_input\":true}");
    }

    @Test
    void afterABreakItGoesOnAtTheByteWhereItWas() {
        AtomicReference<Fields> second = new AtomicReference<>();
        server.on(EXEC, (heard, exchange) -> {
            exchange.accept();
            exchange.started("ex_1", 0, false);
            exchange.output(1, "one ");
            exchange.output(2, "two ");
            exchange.breakOff();
        });
        AtomicInteger attempts = new AtomicInteger();
        server.on(ATTACH, (heard, exchange) -> {
            if (attempts.incrementAndGet() == 1) {
                exchange.error(503, "unavailable", "not yet");
                return;
            }
            second.set(exchange.accept());
            exchange.started("ex_1", 8, false);
            exchange.output(1, "three");
            exchange.ended(7);
        });
        Ran ran = Ran.line(server.environment(), "exec", "b", "x");
        assertThat(ran.output()).isEqualTo("one three");
        assertThat(ran.errors()).isEqualTo("two ");
        assertThat(ran.status()).isEqualTo(7);
        assertThat(second.get().number("offset")).isEqualTo(8);
    }

    @Test
    void aServerThatIsStartedAgainElsewhereIsFound(@TempDir Path home) throws Exception {
        server.settle(home);
        CountDownLatch running = new CountDownLatch(1);
        server.on(EXEC, (heard, exchange) -> {
            exchange.accept();
            exchange.started("ex_1", 0, false);
            exchange.output(1, "before ");
            running.countDown();
            exchange.text();
            exchange.text();
        });
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        StringBuilder errors = new StringBuilder();
        CountDownLatch told = new CountDownLatch(1);
        OutputStream notices = new OutputStream() {
            @Override
            public void write(int value) {
                errors.append((char) value);
                if (value == '\n') {
                    told.countDown();
                }
            }
        };
        Console console = new Console(
                Map.of("BOXD_HOME", home.toString()), input(""), output, notices, () -> 80, false, false, false);
        AtomicInteger status = new AtomicInteger();
        Thread client = Thread.ofPlatform().start(() -> status.set(new Main(console).run(List.of("exec", "b", "x"))));
        running.await();
        server.close();
        java.nio.file.Files.delete(home.resolve("server.json"));
        told.await();
        try (TestingServer again = new TestingServer()) {
            again.on(ATTACH, (heard, exchange) -> {
                exchange.accept();
                exchange.started("ex_1", 7, false);
                exchange.output(1, "after");
                exchange.ended(3);
            });
            again.settle(home);
            client.join();
        }
        assertThat(output.toString(StandardCharsets.UTF_8)).isEqualTo("before after");
        assertThat(status.get()).isEqualTo(3);
        assertThat(errors.toString()).contains("connection to the server is lost", "connected again");
    }

    @Test
    void inputThatABreakLostIsSentAgain() {
        List<String> inputs = new ArrayList<>();
        server.on(EXEC, (heard, exchange) -> {
            exchange.accept();
            exchange.started("ex_1", 0, false);
            exchange.say(Map.of("input_credit", 100));
            inputs.add(exchange.text());
            exchange.breakOff();
        });
        server.on(ATTACH, (heard, exchange) -> {
            exchange.accept();
            exchange.say(Map.of("started", Map.of("exec_id", "ex_1", "offset", 0, "input_offset", 2)));
            exchange.say(Map.of("input_credit", 100));
            inputs.add(exchange.text());
            inputs.add(exchange.text());
            exchange.ended(0);
        });
        assertThat(Ran.withInput(server.environment(), input("hello"), "exec", "b", "cat")
                        .status())
                .isZero();
        assertThat(inputs).containsExactly("input:hello", "input:llo", "{\"end_input\":true}");
    }

    @Test
    void inputOfWhichNobodyKnowsWhetherItArrivedIsAnError() {
        server.on(EXEC, (heard, exchange) -> {
            exchange.accept();
            exchange.started("ex_1", 0, false);
            exchange.say(Map.of("input_credit", 3));
            exchange.text();
            exchange.breakOff();
        });
        server.on(ATTACH, (heard, exchange) -> {
            exchange.accept();
            exchange.started("ex_1", 0, false);
            exchange.text();
        });
        Ran ran = Ran.withInput(server.environment(), input("hello"), "exec", "b", "cat");
        assertThat(ran.status()).isEqualTo(125);
        assertThat(ran.errors()).contains("it is not known how much of it arrived");
    }

    @Test
    void anExecutionThatIsGoneAfterABreakIsAnError() {
        server.on(EXEC, (heard, exchange) -> {
            exchange.accept();
            exchange.started("ex_1", 0, false);
            exchange.breakOff();
        });
        server.on(ATTACH, (heard, exchange) -> exchange.error(404, "not_found", "there is no execution ex_1"));
        Ran ran = Ran.line(server.environment(), "exec", "b", "x");
        assertThat(ran.status()).isEqualTo(125);
        assertThat(ran.errors()).contains("no execution ex_1");
    }

    @Test
    void asJsonItIsOneValueWithAllThatWasSaid() {
        server.on(EXEC, (heard, exchange) -> {
            exchange.accept();
            exchange.say(
                    Map.of("started", Map.of("exec_id", "ex_1", "offset", 0, "tty", false, "snapshot_id", "sn_1")));
            exchange.output(1, "a");
            exchange.output(2, "b");
            exchange.output(1, "c\n");
            exchange.ended(9);
        });
        Ran ran = Ran.line(server.environment(), "exec", "b", "--json", "x");
        assertThat(ran.status()).isEqualTo(9);
        assertThat(Fields.of(PlainJson.parse(ran.output())).values())
                .containsEntry("exec_id", "ex_1")
                .containsEntry("output", "abc\n")
                .containsEntry("stdout", "ac\n")
                .containsEntry("stderr", "b")
                .containsEntry("exit_code", 9L)
                .containsEntry("signal", null)
                .containsEntry("timed_out", false)
                .containsEntry("truncated", false)
                .containsEntry("snapshot_id", "sn_1");
    }

    @Test
    void detachedItGivesTheIdAtOnce() {
        server.json("POST /v1/boxes/b/exec", 200, "{\"exec_id\":\"ex_1\"}");
        assertThat(Ran.line(server.environment(), "exec", "-d", "b", "sleep 100")
                        .output())
                .isEqualTo("ex_1\n");
        assertThat(PlainJson.parse(server.heard().getFirst().body()))
                .isEqualTo(Map.of("detach", true, "script", "sleep 100"));
        assertThat(Ran.line(server.environment(), "exec", "-d", "b", "--json", "x")
                        .output())
                .isEqualTo("{\"exec_id\":\"ex_1\"}\n");
    }

    @Test
    void attachSeesEverythingFromTheStart() {
        server.on(ATTACH, (heard, exchange) -> {
            assertThat(exchange.accept().number("offset")).isZero();
            exchange.started("ex_1", 0, false);
            exchange.say(Map.of("skipped", Map.of("to", 100)));
            exchange.output(1, "newest");
            exchange.ended(0);
        });
        Ran ran = Ran.line(server.environment(), "attach", "b", "ex_1");
        assertThat(ran.output()).isEqualTo("newest");
        assertThat(ran.errors()).contains("100 bytes of older output");
    }

    private static InputStream input(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }
}
