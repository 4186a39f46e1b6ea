package io.boxd.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several clients of the same executions, and many executions at once, served by the real agent. */
@Tag("host")
class ClientsHostTest {
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
    }

    private static Deadline soon() {
        return Deadline.inSeconds(60);
    }

    private static String readUntil(Execution execution, String wanted) {
        StringBuilder text = new StringBuilder();
        while (text.indexOf(wanted) < 0) {
            Optional<OutputChunk> chunk = execution.next(soon());
            assertThat(chunk).as(text.toString()).isPresent();
            text.append(new String(chunk.orElseThrow().bytes(), UTF_8));
        }
        return text.toString();
    }

    private static void assertRefused(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void twoClientsShareATerminal() throws Exception {
        ExecRequest shell = ExecRequest.argv("sh").withEnvironment("PS1", "> ").withPty(24, 80);
        try (Execution one = connection.start(shell, soon());
                Execution two = connection.attach(one.id(), 0, soon())) {
            readUntil(one, "> ");
            one.stdin().write("echo first-$((1 + 1))\n".getBytes(UTF_8));
            String seenByOne = readUntil(one, "first-2\r\n");
            assertThat(readUntil(two, "first-2\r\n")).contains(seenByOne.substring(seenByOne.indexOf("first-2")));
            two.resize(50, 120);
            two.stdin().write("stty size\n".getBytes(UTF_8));
            readUntil(one, "50 120\r\n");
            readUntil(two, "50 120\r\n");
            one.stdin().write("exit 4\n".getBytes(UTF_8));
            assertThat(one.await(soon())).isEqualTo(new ExitStatus.Exited(4));
            assertThat(two.await(soon())).isEqualTo(new ExitStatus.Exited(4));
        }
    }

    @Test
    void inputOfSeveralClientsIsNotMixedWithinALine() throws Exception {
        int lines = 300;
        try (Execution cat = connection.start(ExecRequest.argv("cat").withStdin(true), soon());
                Execution other = connection.attach(cat.id(), 0, soon());
                ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> first = writers.submit(() -> writeLines(cat, "a", lines));
            Future<?> second = writers.submit(() -> writeLines(other, "b", lines));
            Future<List<String>> read = writers.submit(
                    () -> new String(cat.stdout().readAllBytes(), UTF_8).lines().toList());
            Future<Integer> echoed = writers.submit(() -> other.stdout().readAllBytes().length);
            first.get();
            second.get();
            other.stdin().close();
            List<String> seen = read.get();
            assertThat(seen).hasSize(2 * lines).allMatch(line -> line.equals(text("a")) || line.equals(text("b")));
            assertThat(seen.stream().filter(text("a")::equals).count()).isEqualTo(lines);
            assertThat(echoed.get()).isEqualTo(2 * lines * (text("a").length() + 1));
            assertThat(cat.await(soon()).succeeded()).isTrue();
        }
    }

    private static String text(String letter) {
        return letter.repeat(5000);
    }

    private static void writeLines(Execution execution, String letter, int count) {
        byte[] line = (text(letter) + "\n").getBytes(UTF_8);
        try {
            for (int i = 0; i < count; i++) {
                execution.stdin().write(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aClientThatLeavesDoesNotCloseTheInput() throws Exception {
        ExecutionId id;
        try (Execution cat = connection.start(ExecRequest.argv("cat").withStdin(true), soon())) {
            id = cat.id();
            cat.stdin().write("one\n".getBytes(UTF_8));
            readUntil(cat, "one\n");
        }
        connection.close();
        connection = agent.connect();
        try (Execution again = connection.attach(id, 0, soon())) {
            again.stdin().write("two\n".getBytes(UTF_8));
            again.stdin().close();
            assertThat(new String(again.stdout().readAllBytes(), UTF_8)).isEqualTo("one\ntwo\n");
            assertThat(again.await(soon()).succeeded()).isTrue();
        }
    }

    @Test
    void whatCannotBeDoneIsRefused() throws Exception {
        ExecutionId unknown = ExecutionId.random();
        assertRefused(ErrorCode.NOT_FOUND, () -> connection.attach(unknown, 0, soon()));
        assertRefused(ErrorCode.NOT_FOUND, () -> connection.kill(unknown, 9, soon()));
        assertRefused(ErrorCode.NOT_FOUND, () -> connection.forget(unknown, soon()));
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> connection.attach(unknown, -1, soon()));
        try (Execution sleep = connection.start(ExecRequest.argv("sleep", "1000"), soon())) {
            assertRefused(
                    ErrorCode.ALREADY_EXISTS, () -> connection.start(sleep.id(), ExecRequest.argv("true"), soon()));
            assertRefused(ErrorCode.WRONG_STATE, () -> connection.forget(sleep.id(), soon()));
            assertRefused(ErrorCode.INVALID_ARGUMENT, () -> connection.kill(sleep.id(), 99, soon()));
            try (Execution other = connection.attach(sleep.id(), 0, soon())) {
                assertThatThrownBy(() -> other.stdin().write(1)).hasMessageContaining("takes no input");
            }
            connection.kill(sleep.id(), 9, soon());
            assertThat(sleep.await(soon())).isEqualTo(new ExitStatus.Killed(9, false));
            assertRefused(ErrorCode.WRONG_STATE, () -> connection.kill(sleep.id(), 9, soon()));
            connection.forget(sleep.id(), soon());
            assertRefused(ErrorCode.NOT_FOUND, () -> connection.attach(sleep.id(), 0, soon()));
        }
        assertRefused(ErrorCode.NOT_FOUND, () -> connection.start(unknown, ExecRequest.argv("no-such"), soon()));
        assertThat(connection.executions(soon())).isEmpty();
    }

    @Test
    void outputIsReadInOneWayOnly() {
        try (Execution execution = connection.start(ExecRequest.argv("echo", "x"), soon())) {
            assertThat(execution.next(soon())).isPresent();
            assertRefused(ErrorCode.WRONG_STATE, execution::stdout);
        }
    }

    @Test
    void aHundredExecutionsRunOnWhileTheirClientsComeAndGo() throws Exception {
        Flood flood = new Flood(300_000);
        List<ExecutionId> ids = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            // A hundred at once: each waits for its word.
            String script = "read word; " + flood.command() + "; exit " + i;
            try (Execution execution =
                    connection.start(ExecRequest.argv("sh", "-c", script).withStdin(true), soon())) {
                ids.add(execution.id());
            }
        }
        assertThat(connection.executions(soon())).hasSize(100).allMatch(ExecutionInfo::running);
        connection.close();
        connection = agent.connect();
        List<Future<String>> results = new ArrayList<>();
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (ExecutionId id : ids) {
                results.add(clients.submit(() -> attachAndRead(id)));
            }
        }
        String expected = flood.sha256From(0);
        for (int i = 0; i < results.size(); i++) {
            assertThat(results.get(i).get()).isEqualTo(expected + " " + i);
        }
    }

    private String attachAndRead(ExecutionId id) throws IOException {
        var digest = Flood.sha256();
        try (Execution execution = connection.attach(id, 0, soon())) {
            execution.stdin().write("go\n".getBytes(UTF_8));
            for (Optional<OutputChunk> next = execution.next(soon()); next.isPresent(); next = execution.next(soon())) {
                digest.update(next.get().data());
            }
            return Flood.hex(digest) + " " + execution.await(soon()).shellCode();
        }
    }

    @Test
    void listsWhatAnExecutionHasDone() throws Exception {
        ExecRequest request = ExecRequest.argv("sh", "-c", "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; cat")
                .withStdin(true)
                .withUser("daemon")
                .withCwd("/");
        try (Execution execution = connection.start(request, soon())) {
            execution.stdin().write(new byte[1000]);
            execution.stdin().close();
            assertThat(execution.stdout().readAllBytes()).hasSize(1000);
            execution.await(soon());
            ExecutionInfo info = connection.executions(soon()).getFirst();
            assertThat(info.user()).isEqualTo("daemon");
            assertThat(info.pid()).isEqualTo(execution.pid());
            assertThat(info.inputBytes()).isEqualTo(1000);
            assertThat(info.outputBytes()).isEqualTo(1000);
            assertThat(info.keptFrom()).isZero();
            assertThat(info.lastInput()).isPresent();
            assertThat(info.cpuTime()).isPositive();
            assertThat(info.terminal()).isFalse();
        }
    }
}
