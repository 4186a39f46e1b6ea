package io.boxd.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The connection against a machine that stays silent, lies or breaks the rules. */
@Tag("unit")
class AgentConnectionTest {
    private TestingPeer peer;

    @BeforeEach
    void create() throws IOException {
        peer = TestingPeer.create();
    }

    @AfterEach
    void close() throws IOException {
        peer.close();
    }

    private static Deadline soon() {
        return Deadline.inSeconds(10);
    }

    private static void assertFails(ErrorCode code, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    /** A started command on stream 1, the first of a connection. */
    private Execution started(AgentConnection connection, ExecRequest request) throws Exception {
        CompletableFuture<Execution> starting = CompletableFuture.supplyAsync(() -> connection.start(request, soon()));
        Frame frame = peer.readFrame();
        assertThat(frame.type()).isEqualTo(Wire.EXEC);
        peer.send(Wire.STARTED, frame.stream(), new byte[] {0, 0, 1, 0});
        Execution execution = starting.get();
        assertThat(execution.pid()).isEqualTo(256);
        return execution;
    }

    @Test
    void silenceMeetsTheDeadline() {
        assertFails(
                ErrorCode.TIMEOUT,
                "the machine's agent did not finish",
                () -> AgentConnection.open(peer.host(), Deadline.inMillis(100)));
        assertThat(peer.host().isOpen()).isFalse();
    }

    @Test
    void staleBytesNeverSurface() throws Exception {
        byte[] stale = new byte[300_000];
        new Random(3).nextBytes(stale);
        byte[] foreign = new FrameEncoder(0x01020304).frame(Wire.STDOUT, 1, new byte[30_000]);
        System.arraycopy(foreign, 0, stale, stale.length - 20_000, 20_000);
        try (AgentConnection connection = peer.connect(stale)) {
            assertThat(connection.facts()).isEqualTo(new AgentFacts(2, true, 0, "6.1.0", "0.1.0"));
            CompletableFuture<?> ping = CompletableFuture.runAsync(() -> connection.ping(soon()));
            peer.send(Wire.PONG, peer.readFrame().stream(), new byte[0]);
            ping.join();
        }
    }

    @Test
    void anotherVersionIsNamed() throws Exception {
        CompletableFuture<?> opening = CompletableFuture.runAsync(() -> AgentConnection.open(peer.host(), soon()));
        peer.readHello();
        peer.send(peer.acknowledgement(9));
        assertThatThrownBy(opening::join).hasMessageContaining("speaks version 9");
    }

    @Test
    void outputIsBoundedByItsWindow() throws Exception {
        try (AgentConnection connection = peer.connect();
                Execution execution = started(connection, ExecRequest.argv("x"))) {
            byte[] chunk = new byte[Wire.WINDOW_BYTES / 8];
            for (int i = 0; i < 8; i++) {
                peer.send(Wire.STDOUT, 1, chunk);
            }
            assertThat(execution.stdout().readNBytes(1)).hasSize(1);
            peer.send(Wire.STDOUT, 1, new byte[1]);
            assertFails(ErrorCode.UNAVAILABLE, "exceeds its window", () -> execution.await(soon()));
        }
    }

    @Test
    void creditIsGivenAsOutputIsRead() throws Exception {
        try (AgentConnection connection = peer.connect();
                Execution execution = started(connection, ExecRequest.argv("x"))) {
            peer.send(Wire.STDERR, 1, new byte[60_000]);
            peer.send(Wire.STDERR, 1, new byte[60_000]);
            assertThat(execution.stderr().readNBytes(120_000)).hasSize(120_000);
            Frame credit = peer.readFrame();
            assertThat(credit.type()).isEqualTo(Wire.CREDIT);
            assertThat(credit.payload().get()).isEqualTo((byte) 2);
            assertThat(credit.payload().getInt()).isGreaterThanOrEqualTo(Wire.CREDIT_STEP_BYTES);
        }
    }

    @Test
    void inputWaitsForCredit() throws Exception {
        try (AgentConnection connection = peer.connect();
                Execution execution = started(connection, ExecRequest.argv("x").withStdin(true))) {
            Thread writer = Thread.ofVirtual().start(() -> writeAll(execution, Wire.WINDOW_BYTES + 5));
            int got = 0;
            while (got < Wire.WINDOW_BYTES) {
                got += peer.readFrame().payload().remaining();
            }
            assertThat(writer.isAlive()).isTrue();
            peer.send(Wire.STDIN_CREDIT, 1, new byte[] {0, 0, 0, 5});
            assertThat(peer.readFrame().payload().remaining()).isEqualTo(5);
            writer.join();
            peer.send(Wire.STDIN_CREDIT, 1, new byte[] {0, 4, 0, 1});
            assertFails(ErrorCode.UNAVAILABLE, "more credit", () -> execution.await(soon()));
        }
    }

    private static void writeAll(Execution execution, int count) {
        try {
            execution.stdin().write(new byte[count]);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aMachineThatStopsReadingHoldsUpNobodyForEver() throws Exception {
        try (AgentConnection connection = peer.connect()) {
            String text = "x".repeat(100_000);
            ExecRequest request = ExecRequest.argv("a", text, text, text, text, text, text, text, text);
            for (int i = 0; i < 8; i++) {
                assertFails(ErrorCode.TIMEOUT, "starting", () -> connection.start(request, Deadline.inMillis(50)));
            }
            assertFails(ErrorCode.TIMEOUT, "answer", () -> connection.ping(Deadline.inMillis(50)));
        }
    }

    @Test
    void brokenRulesEndTheConnection() throws Exception {
        byte[] foreign = new FrameEncoder(0x7f7f7f7f).frame(Wire.PONG, 1, new byte[0]);
        byte[][] offences = {
            {-1, -1, -1, -1}, {0, 0, 0, 1}, foreign, new byte[] {1},
        };
        String[] reasons = {"claims", "claims", "another session", "no such type"};
        for (int i = 0; i < offences.length; i++) {
            try (TestingPeer other = TestingPeer.create();
                    AgentConnection connection = other.connect()) {
                byte[] offence = offences[i];
                other.send(offence.length == 1 ? other.frame(0x11, 1, new byte[0]) : offence);
                assertFails(ErrorCode.UNAVAILABLE, reasons[i], () -> {
                    while (true) {
                        connection.ping(Deadline.inSeconds(5));
                    }
                });
            }
        }
    }

    @Test
    void messagesForNobodyAreDropped() throws Exception {
        try (AgentConnection connection = peer.connect()) {
            peer.send(Wire.STDOUT, 77, new byte[1000]);
            peer.send(Wire.EXITED, -5, new byte[] {0});
            CompletableFuture<?> ping = CompletableFuture.runAsync(() -> connection.ping(soon()));
            peer.send(Wire.PONG, peer.readFrame().stream(), new byte[0]);
            ping.join();
        }
    }

    @Test
    void aGivenUpSessionSaysWhy() throws Exception {
        try (AgentConnection connection = peer.connect()) {
            CompletableFuture<?> ping = CompletableFuture.runAsync(() -> connection.ping(soon()));
            peer.readFrame();
            byte[] reason = "no\u001b[31m reason".getBytes(UTF_8);
            peer.send(
                    Wire.FAULT,
                    0,
                    new PayloadWriter().u16(reason.length).bytes(reason).toBytes());
            assertThatThrownBy(ping::join).hasMessageContaining("gave up the session because no?[31m reason");
        }
    }

    @Test
    void endOfTheChannelFailsEverybody() throws Exception {
        try (AgentConnection connection = peer.connect();
                Execution execution = started(connection, ExecRequest.argv("x").withStdin(true))) {
            CompletableFuture<?> ping = CompletableFuture.runAsync(() -> connection.ping(Deadline.inSeconds(60)));
            peer.send(Wire.STDOUT, 1, "last words".getBytes(UTF_8));
            peer.readFrame();
            peer.close();
            assertThatThrownBy(ping::join).hasMessageContaining("the machine's agent is gone");
            assertFails(ErrorCode.UNAVAILABLE, "the machine's agent is gone", () -> execution.await(soon()));
            assertThat(new String(execution.stdout().readNBytes(10), UTF_8)).isEqualTo("last words");
            assertThatThrownBy(() -> execution.stdout().read()).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> execution.stdin().write(1)).isInstanceOf(IOException.class);
        }
    }
}
