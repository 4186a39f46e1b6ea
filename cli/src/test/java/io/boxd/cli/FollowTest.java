package io.boxd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Events and the audit at this door. */
@Tag("unit")
@Timeout(60)
final class FollowTest {
    private TestingServer server;

    @BeforeEach
    void start() throws IOException {
        server = new TestingServer();
    }

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private static Map<String, ?> event(long sequence, String kind) {
        return Map.of(
                "event",
                Map.of(
                        "sequence", sequence,
                        "time", "2026-11-18T09:41:07.123Z",
                        "kind", kind,
                        "box_name", "task-1",
                        "cause", "somebody asked for it"));
    }

    @Test
    void followingGoesOnBehindWhatWasTold() {
        AtomicInteger times = new AtomicInteger();
        server.on("SOCKET /v1/events", (heard, exchange) -> {
            Map<String, ?> start = exchange.accept().values();
            if (times.incrementAndGet() == 1) {
                assertThat(start).isEqualTo(Map.of("follow", true, "box", "task-1", "since_s", 60L));
                exchange.say(Map.of("started", Map.of("after", 5L)));
                exchange.breakOff();
            } else if (times.get() == 2) {
                assertThat(start)
                        .as("nothing was told yet, but where that would have begun")
                        .isEqualTo(Map.of("follow", true, "box", "task-1", "after", 5L));
                exchange.say(Map.of("started", Map.of("after", 5L)));
                exchange.say(event(7, "paused"));
                exchange.breakOff();
            } else {
                assertThat(start).isEqualTo(Map.of("follow", true, "box", "task-1", "after", 7L));
                exchange.say(event(8, "resumed"));
                exchange.say(Map.of("error", Map.of("code", "internal", "message", "enough", "hint", "stop")));
            }
        });
        Ran ran = Ran.line(server.environment(), "events", "-f", "--box", "task-1", "--since", "1m");
        assertThat(ran.status()).isEqualTo(1);
        assertThat(ran.output()).isEqualTo("""
            11-18 09:41:07  task-1            paused              somebody asked for it
            11-18 09:41:07  task-1            resumed             somebody asked for it
            """);
        assertThat(ran.output().lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
    }

    @Test
    void whatGoesOnHasNoNumberOfThings() {
        assertThat(Ran.line(server.environment(), "events", "-f", "--limit", "3")
                        .errors())
                .contains("--follow and --limit exclude each other");
    }

    @Test
    void anAuditThatIsNotWholeEndsWithOne() {
        String changed = """
            {"whole":false,"entries":9,"files":1,"lost":0,"recovered":0,"more_findings":0,"findings":[\
            {"kind":"changed","file":"audit-00000001.log","line":3,"sequence":3,"detail":"it does not fit"}]}\
            """;
        server.json("GET /v1/audit/verify", 200, changed);
        Ran broken = Ran.line(server.environment(), "audit", "verify");
        assertThat(broken.status()).isEqualTo(1);
        assertThat(broken.output())
                .contains("  changed   audit-00000001.log, line 3, entry 3\n            it does not fit\n");
        String fine = """
            {"whole":true,"entries":9,"files":1,"lost":2,"recovered":0,"more_findings":0,"findings":[]}\
            """;
        server.json("GET /v1/audit/verify", 200, fine);
        Ran whole = Ran.line(server.environment(), "audit", "verify");
        assertThat(whole.status()).isZero();
        assertThat(whole.output()).contains("is whole", "2 entries could not be written down");
    }

    @Test
    void verbsOfThreeWordsAndThoseThatBeginLikeOthersAreUnderstood() {
        server.json("GET /v1/audit", 200, "[]").json("GET /v1/webhooks/dead", 200, "[]");
        assertThat(Ran.line(server.environment(), "audit", "--verb", "new").output())
                .isEqualTo("No entries.\n");
        assertThat(Ran.line(server.environment(), "webhook", "dead", "list").output())
                .isEqualTo("No event was given up.\n");
        assertThat(Ran.line(server.environment(), "webhook", "dead").output()).contains("webhook dead list|retry|rm");
        assertThat(Ran.line(server.environment(), "webhook", "deaf").errors()).contains("no verb");
    }
}
