package io.boxd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions that begin, are replaced and end, against the real agent. */
@Tag("host")
class SessionHostTest {
    @TempDir
    private Path folder;

    private TestingAgent agent;

    @BeforeEach
    void start() throws IOException {
        agent = TestingAgent.start();
    }

    @AfterEach
    void close() throws IOException {
        agent.close();
    }

    private static Deadline soon() {
        return Deadline.inSeconds(20);
    }

    /** What a fork does: the channel lives on, the host at its end is another one. */
    private static AgentConnection takeOver(SocketChannel channel) {
        return AgentConnection.open(channel, soon());
    }

    @Test
    void startsAnewInTheMiddleOfAFlood() throws IOException {
        try (SocketChannel channel = agent.accept()) {
            TestingChannel first = new TestingChannel(channel);
            AgentConnection before = AgentConnection.open(first, soon());
            Execution flood = before.start(ExecRequest.argv("yes"), soon());
            assertThat(flood.stdout().read()).isEqualTo('y');
            first.detach();
            try (AgentConnection after = takeOver(channel)) {
                assertThat(after.run(ExecRequest.argv("echo", "new"), soon()).stdoutText())
                        .isEqualTo("new\n");
                String pid = Long.toString(flood.pid());
                assertThat(after.run(ExecRequest.argv("kill", "-0", pid), soon())
                                .status()
                                .succeeded())
                        .isTrue();
                assertThat(after.run(ExecRequest.argv("kill", "-9", pid), soon())
                                .status()
                                .succeeded())
                        .isTrue();
            }
        }
    }

    @Test
    void recoversFromEveryKindOfCutFrame() throws IOException {
        Random random = new Random(11);
        try (SocketChannel channel = agent.accept()) {
            for (int length : new int[] {1, 2, 3, 4, 5, 9, 12, 13, 100, 4096, 65_524}) {
                byte[] frame = new FrameEncoder(random.nextInt() | 0x01010101)
                        .frame(Wire.STDIN, 1, new byte[Wire.MAX_PAYLOAD_BYTES]);
                write(channel, ByteBuffer.wrap(frame, 0, Math.min(length, frame.length - 1)));
                TestingChannel lent = new TestingChannel(channel);
                AgentConnection connection = AgentConnection.open(lent, soon());
                assertThat(connection
                                .run(ExecRequest.argv("echo", "ok"), soon())
                                .stdoutText())
                        .isEqualTo("ok\n");
                lent.detach();
            }
        }
    }

    @Test
    void recoversFromGarbage() throws IOException {
        byte[] garbage = new byte[300_000];
        new Random(5).nextBytes(garbage);
        try (SocketChannel channel = agent.accept()) {
            write(channel, ByteBuffer.wrap(garbage));
            try (AgentConnection connection = takeOver(channel)) {
                assertThat(connection
                                .run(ExecRequest.argv("echo", "ok"), soon())
                                .stdoutText())
                        .isEqualTo("ok\n");
            }
        }
    }

    @Test
    void commandsOutliveTheirSession() throws IOException {
        Path spoken = folder.resolve("spoken");
        Path ended = folder.resolve("ended");
        String script = "head -c 5000000 /dev/zero; head -c 5000000 /dev/zero >&2; touch " + spoken + "; read x; touch "
                + ended + "; exec sleep 1000";
        long pid;
        try (AgentConnection connection = agent.connect()) {
            Execution execution =
                    connection.start(ExecRequest.argv("sh", "-c", script).withStdin(true), soon());
            pid = execution.pid();
        }
        try (AgentConnection connection = agent.connect()) {
            // Far more than any buffer holds was written, so it was taken and thrown away.
            String wait = "until [ -e " + spoken + " ]; do sleep 0.05; done; sleep 0.2";
            assertThat(connection
                            .run(ExecRequest.argv("sh", "-c", wait), soon())
                            .status()
                            .succeeded())
                    .isTrue();
            // Its input is still open, so it still waits for input.
            assertThat(ended).doesNotExist();
            assertThat(connection
                            .run(ExecRequest.argv("kill", "-9", Long.toString(pid)), soon())
                            .status()
                            .succeeded())
                    .isTrue();
        }
    }

    @Test
    void failsAllCallersAtOnceWhenTheAgentDies() throws IOException {
        try (AgentConnection connection = agent.connect()) {
            Execution execution = connection.start(ExecRequest.argv("sleep", "5"), soon());
            agent.process().destroyForcibly();
            long before = System.nanoTime();
            assertGone(() -> execution.await(soon()));
            assertGone(() -> connection.ping(soon()));
            assertGone(() -> connection.start(ExecRequest.argv("true"), soon()));
            assertThatThrownBy(() -> execution.stdout().read()).isInstanceOf(IOException.class);
            assertThat(System.nanoTime() - before).isLessThan(5_000_000_000L);
        }
    }

    private static void assertGone(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("the machine's agent is gone");
    }

    @Test
    void aStoppedAgentMeetsTheDeadline() throws Exception {
        try (AgentConnection connection = agent.connect()) {
            String pid = Long.toString(agent.process().pid());
            new ProcessBuilder("kill", "-STOP", pid).start().waitFor();
            assertThatThrownBy(() -> connection.ping(Deadline.inMillis(200)))
                    .isInstanceOfSatisfying(
                            BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
            new ProcessBuilder("kill", "-CONT", pid).start().waitFor();
            assertThat(connection.ping(soon())).isPositive();
        }
    }

    @Test
    void theAgentEndsWhenItsSocketIsRemoved() throws Exception {
        try (AgentConnection connection = agent.connect()) {
            assertThat(connection.ping(soon())).isPositive();
            agent.close();
            assertThat(agent.process().isAlive()).isFalse();
        }
        agent = TestingAgent.start();
    }

    private static void write(SocketChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }
}
