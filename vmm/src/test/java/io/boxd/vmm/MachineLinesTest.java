package io.boxd.vmm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.ExitStatus;
import io.boxd.guest.GuestConnection;
import io.boxd.guest.GuestListener;
import io.boxd.guest.GuestNetwork;
import io.boxd.guest.GuestProgram;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Programs, connections and listeners that only pass through a real machine, and what a fork makes of them. */
@Tag("machine")
class MachineLinesTest {
    private static final int LARGE_BYTES = TestHouse.LONG ? 256 << 20 : 8 << 20;

    private TestHouse house;
    private Machine machine;
    private AgentConnection agent;
    private GuestNetwork network;

    @BeforeEach
    void start() {
        house = TestHouse.get();
        machine = house.start(house.tinyBase());
        agent = machine.agent();
        network = agent.network("");
    }

    @AfterEach
    void end() {
        machine.close();
    }

    private static Deadline soon() {
        return Deadline.inSeconds(120);
    }

    private GuestProgram run(String script) {
        return agent.program(ExecRequest.argv("sh", "-c", script).withStdin(true), soon());
    }

    @Test
    void carriesMuchThroughAProgram() throws Exception {
        byte[] content = new byte[LARGE_BYTES];
        new Random(1).nextBytes(content);
        try (GuestProgram program = run("cat; exit 3")) {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> send(program.input(), content));
            assertThat(Arrays.equals(program.output().readAllBytes(), content)).isTrue();
            sending.get(60, TimeUnit.SECONDS);
            assertThat(program.await(soon())).isEqualTo(new ExitStatus.Exited(3));
        }
    }

    private static void send(OutputStream target, byte[] content) {
        try (target) {
            target.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void servesFilesInTheSmallestMachine() throws IOException {
        try (GuestProgram program = agent.program(ExecRequest.files().withStdin(true), soon())) {
            program.input().write(new byte[] {0, 0, 0, 5, 1, 0, 0, 0, 3});
            assertThat(program.output().readNBytes(5)[4]).isEqualTo((byte) 2);
        }
    }

    @Test
    void connectsFromInside() throws IOException {
        try (var _ = agent.start(ExecRequest.argv("nc", "-l", "-p", "8000", "-e", "cat"), soon())) {
            TestHouse.sh(machine, "until netstat -ltn | grep -q :8000; do usleep 20000; done");
            try (GuestConnection connection = network.connect("localhost", 8000, soon())) {
                connection.output().write("echo".getBytes(UTF_8));
                connection.output().close();
                assertThat(connection.input().readAllBytes()).asString(UTF_8).isEqualTo("echo");
            }
        }
        assertThatThrownBy(() -> network.connect("localhost", 8000, soon())).isInstanceOf(BoxdException.class);
        assertThatThrownBy(() -> network.connect("no-such-host.invalid", 80, soon()))
                .isInstanceOf(BoxdException.class);
    }

    @Test
    void aForkHasNoneOfTheLinesOfItsSource() throws IOException {
        try (GuestListener listener = network.listen("127.0.0.1", 0, soon());
                GuestListener secret = network.listenSecretly("", soon());
                GuestProgram program = run("echo $$; cat")) {
            String pid = line(program);
            String ask = "echo hello | nc -w 5 127.0.0.1 " + listener.port();
            String look = "test -S " + secret.path();
            Machine child = house.fork(machine);
            try (child) {
                String gone = "until ! nc -w 5 127.0.0.1 " + listener.port() + " </dev/null; do usleep 20000; done; "
                        + "while kill -0 " + pid + "; do usleep 20000; done; "
                        + "while " + look + "; do usleep 20000; done; echo gone";
                assertThat(TestHouse.sh(child, gone).strip()).isEqualTo("gone");
                assertThat(listener.accept(Deadline.inSeconds(1))).isEmpty();
            }
            assertThat(TestHouse.sh(machine, look + " && (" + ask + " >/dev/null & ) && echo asked")
                            .strip())
                    .isEqualTo("asked");
            try (GuestConnection came = listener.accept(soon()).orElseThrow().connection()) {
                assertThat(came.input().readNBytes(5)).asString(UTF_8).isEqualTo("hello");
            }
            program.input().write("still here".getBytes(UTF_8));
            program.input().close();
            assertThat(program.output().readAllBytes()).asString(UTF_8).isEqualTo("still here");
        }
    }

    private static String line(GuestProgram program) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = program.output().read();
                next != '\n';
                next = program.output().read()) {
            assertThat(next).isNotNegative();
            line.append((char) next);
        }
        return line.toString();
    }
}
