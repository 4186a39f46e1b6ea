package io.boxd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.console.Console;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What someone at a terminal sees of something that takes its time. */
@Tag("unit")
@Timeout(60)
final class WaitingTest {
    private static final String BOX = "{\"name\":\"copy\",\"status\":\"running\"}";

    /** Counts down when this was written. */
    private static final class Watched extends ByteArrayOutputStream {
        private final CountDownLatch seen = new CountDownLatch(1);

        @Override
        public synchronized void write(byte[] bytes, int offset, int length) {
            super.write(bytes, offset, length);
            if (toString(StandardCharsets.UTF_8).contains("fork task-1 1s")) {
                seen.countDown();
            }
        }
    }

    private TestingServer server;

    @BeforeEach
    void start() throws IOException {
        server = new TestingServer();
    }

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private String fork(Watched errors, Map<String, String> more, boolean errorTerminal) {
        Map<String, String> environment = new HashMap<>(server.environment());
        environment.putAll(more);
        Console console = new Console(
                environment,
                new ByteArrayInputStream(new byte[0]),
                new ByteArrayOutputStream(),
                errors,
                () -> 80,
                false,
                false,
                errorTerminal);
        assertThat(new Main(console).run(List.of("fork", "task-1"))).isZero();
        return errors.toString(StandardCharsets.UTF_8);
    }

    private void answerAfter(CountDownLatch latch, long millis) {
        server.on("POST /v1/boxes/task-1/fork", (heard, exchange) -> {
            try {
                latch.await(millis, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            exchange.json(201, BOX);
        });
    }

    @Test
    void aLineShowsItAndVanishes() {
        Watched errors = new Watched();
        answerAfter(errors.seen, 30_000);
        String shown = fork(errors, Map.of("TERM", "xterm"), true);
        assertThat(errors.seen.getCount()).isZero();
        assertThat(shown).startsWith("\r\u001b[K").endsWith("\r\u001b[K").doesNotContain("\n");
    }

    @Test
    void nobodySeesItWhereThereIsNoTerminalOrNothingToWaitFor() {
        server.json("POST /v1/boxes/task-1/fork", 201, BOX);
        assertThat(fork(new Watched(), Map.of("TERM", "xterm"), true)).isEmpty();
        answerAfter(new CountDownLatch(1), 1_500);
        assertThat(fork(new Watched(), Map.of("TERM", "xterm"), false)).isEmpty();
        assertThat(fork(new Watched(), Map.of("TERM", "dumb"), true)).isEmpty();
    }
}
