package io.boxd.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs whose bytes only pass through, run by the real agent. */
@Tag("host")
class ProgramHostTest {
    private static final int MUCH = 64 << 20;

    @TempDir
    private Path folder;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private TestingAgent agent;
    private AgentConnection connection;

    @BeforeEach
    void connect() throws IOException {
        agent = TestingAgent.start();
        connection = agent.connect();
    }

    @AfterEach
    void close() throws IOException {
        connection.close();
        agent.close();
        threads.close();
    }

    private static Deadline soon() {
        return Deadline.inSeconds(30);
    }

    private GuestProgram run(String script) {
        return connection.program(ExecRequest.argv("sh", "-c", script).withStdin(true), soon());
    }

    @Test
    void keepsTheChannelsApartAndTellsTheEnd() throws Exception {
        try (GuestProgram program = run("cat; echo error >&2; exit 7")) {
            program.input().write("through".getBytes(UTF_8));
            program.input().close();
            assertThat(program.output().readAllBytes()).asString(UTF_8).isEqualTo("through");
            assertThat(program.errors().readAllBytes()).asString(UTF_8).isEqualTo("error\n");
            assertThat(program.await(soon())).isEqualTo(new ExitStatus.Exited(7));
        }
        try (GuestProgram program = run("kill -TERM $$")) {
            assertThat(program.await(soon())).isEqualTo(new ExitStatus.Killed(15, false));
        }
    }

    @Test
    void aProgramMayEndOneChannelAndGoOn() throws Exception {
        try (GuestProgram program = run("exec >&-; read line; echo $line >&2; exec 2>&-; read line")) {
            assertThat(program.output().read()).isEqualTo(-1);
            program.input().write("still here\n".getBytes(UTF_8));
            assertThat(program.errors().readAllBytes()).asString(UTF_8).isEqualTo("still here\n");
            program.input().close();
            assertThat(program.await(soon())).isEqualTo(new ExitStatus.Exited(1));
        }
    }

    @Test
    void carriesMuchBothWaysAndKeepsNothing() throws Exception {
        try (GuestProgram program = run("cat")) {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> send(program.input()), threads);
            check(program.output());
            sending.get(60, TimeUnit.SECONDS);
            assertThat(program.await(soon())).isEqualTo(new ExitStatus.Exited(0));
        }
        assertThat(connection.executions(soon())).isEmpty();
    }

    private static void send(OutputStream target) {
        byte[] chunk = new byte[1 << 16];
        Random random = new Random(1);
        try (OutputStream input = target) {
            for (long done = 0; done < MUCH; done += chunk.length) {
                random.nextBytes(chunk);
                input.write(chunk);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void check(InputStream output) throws IOException {
        byte[] chunk = new byte[1 << 16];
        Random random = new Random(1);
        for (long done = 0; done < MUCH; done += chunk.length) {
            random.nextBytes(chunk);
            assertThat(Arrays.equals(output.readNBytes(chunk.length), chunk)).isTrue();
        }
        assertThat(output.read()).isEqualTo(-1);
    }

    @Test
    void oneThatIsNotReadWaits() throws Exception {
        Path done = folder.resolve("done");
        try (GuestProgram program = run("head -c 10000000 /dev/zero; touch " + done)) {
            assertThat(program.awaitOutput(soon())).isTrue();
            assertThat(connection.ping(soon())).isPositive();
            assertThat(Files.exists(done)).isFalse();
            assertThat(program.output().readAllBytes()).hasSize(10_000_000);
            program.await(soon());
            assertThat(Files.exists(done)).isTrue();
        }
    }

    @Test
    void closingHangsUp() throws Exception {
        Path told = folder.resolve("told");
        long pid;
        try (GuestProgram program = run("trap 'echo hup > " + told + "; exit' HUP; sleep 100 & echo $$; wait")) {
            pid = Long.parseLong(line(program.output()));
        }
        awaitEnd(pid);
        assertThat(told).hasContent("hup");
    }

    private static void awaitEnd(long pid) {
        ProcessHandle.of(pid)
                .ifPresent(handle ->
                        handle.onExit().orTimeout(15, TimeUnit.SECONDS).join());
    }

    @Test
    void oneThatDoesNotHearIsKilled() throws Exception {
        long pid;
        try (GuestProgram program = run("trap '' HUP; echo $$; sleep 1000 & wait; sleep 1000")) {
            pid = Long.parseLong(line(program.output()));
            assertThat(ProcessHandle.of(pid)).isPresent();
        }
        awaitEnd(pid);
    }

    @Test
    void aNewSessionEndsWhatTheOldOneRan() throws Exception {
        GuestProgram program = run("echo $$; exec sleep 1000");
        long pid = Long.parseLong(line(program.output()));
        connection.close();
        try (AgentConnection next = agent.connect()) {
            awaitEnd(pid);
            assertThat(next.executions(soon())).isEmpty();
        }
        assertThatThrownBy(() -> program.await(soon())).isInstanceOf(BoxdException.class);
    }

    @Test
    void saysWhyOneDoesNotStart() {
        assertThatThrownBy(() -> connection.program(ExecRequest.argv("no-such-program"), soon()))
                .hasMessageContaining("command not found: no-such-program");
    }

    @Test
    void servesFiles() throws Exception {
        try (GuestProgram program = connection.program(ExecRequest.files().withStdin(true), soon())) {
            program.input().write(new byte[] {0, 0, 0, 5, 1, 0, 0, 0, 3});
            assertThat(Arrays.copyOfRange(program.output().readNBytes(9), 4, 9)).containsExactly(2, 0, 0, 0, 3);
            program.input().close();
            assertThat(program.await(soon())).isEqualTo(new ExitStatus.Exited(0));
        }
    }

    @Test
    void twentyAtOnceAllGetTheirTurn() {
        Stream.iterate(0, i -> i + 1)
                .limit(20)
                .map(i -> CompletableFuture.supplyAsync(() -> bytesOf("head -c 3000000 /dev/zero"), threads))
                .toList()
                .forEach(all ->
                        assertThat(all.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo(3_000_000));
    }

    private int bytesOf(String script) {
        try (GuestProgram program = run(script)) {
            return program.output().readAllBytes().length;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n' && next >= 0; next = in.read()) {
            line.append((char) next);
        }
        return line.toString();
    }
}
