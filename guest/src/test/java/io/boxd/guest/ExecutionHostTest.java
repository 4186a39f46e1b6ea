package io.boxd.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Single commands of all kinds, run by the real agent. */
@Tag("host")
class ExecutionHostTest {
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
        return Deadline.inSeconds(20);
    }

    private CommandOutput run(ExecRequest request) {
        return connection.run(request, soon());
    }

    @Test
    void tellsAboutItself() {
        assertThat(connection.facts().protocolVersion()).isEqualTo(2);
        assertThat(connection.facts().firstProcess()).isFalse();
        assertThat(connection.facts().kernelRelease()).isNotBlank();
        assertThat(connection.ping(soon()).toMillis()).isLessThan(5000);
    }

    @Test
    void keepsArgumentsApart() {
        CommandOutput output = run(ExecRequest.argv("printf", "[%s]", "a b", "", "$HOME", "ü\n"));
        assertThat(output.stdoutText()).isEqualTo("[a b][][$HOME][ü\n]");
        assertThat(output.status()).isEqualTo(new ExitStatus.Exited(0));
    }

    @Test
    void runsTextsInTheLoginShell() {
        CommandOutput output = run(ExecRequest.shell("echo out; echo err >&2; shopt -q login_shell && exit 7"));
        assertThat(output.stdoutText()).isEqualTo("out\n");
        assertThat(output.stderrText()).isEqualTo("err\n");
        assertThat(output.status()).isEqualTo(new ExitStatus.Exited(7));
    }

    @Test
    void takesRequestsLongerThanOneFrame() {
        String text = "x".repeat(100_000);
        List<String> arguments = List.of("sh", "-c", "echo ${#1} ${#2} ${#3}", "sh", text, text, text);
        assertThat(run(ExecRequest.argv(arguments)).stdoutText()).isEqualTo("100000 100000 100000\n");
    }

    @Test
    void setsEnvironmentAndFolder() {
        CommandOutput output = run(ExecRequest.argv("sh", "-c", "echo $A:$HOME:$USER:$LOGNAME; pwd; env | wc -l")
                .withEnvironment("A", "1=2")
                .withCwd("/usr/lib"));
        assertThat(output.stdoutText().lines()).containsExactly("1=2:" + home() + ":root:root", "/usr/lib", "7");
    }

    private String home() {
        return run(ExecRequest.argv("sh", "-c", "grep ^root: /etc/passwd | cut -d: -f6"))
                .stdoutText()
                .strip();
    }

    @Test
    void startsInTheHomeOfTheUser() {
        assertThat(run(ExecRequest.argv("pwd")).stdoutText()).isEqualTo(home() + "\n");
    }

    @Test
    void becomesTheUser() {
        CommandOutput output = run(ExecRequest.argv("sh", "-c", "id -un; id -u; id -g; echo $USER; id -G | wc -w")
                .withUser("daemon")
                .withCwd("/"));
        assertThat(output.stdoutText().lines().limit(4)).containsExactly("daemon", "1", "1", "daemon");
    }

    @Test
    void refusesWhatCannotBeStarted() {
        assertRefused(ExecRequest.argv("no-such-program"), ErrorCode.NOT_FOUND, "command not found: no-such-program");
        assertRefused(ExecRequest.argv("ls").withUser("nemo"), ErrorCode.NOT_FOUND, "no such user: nemo");
        assertRefused(ExecRequest.argv("ls").withCwd("/nope"), ErrorCode.NOT_FOUND, "no such directory: /nope");
        assertRefused(ExecRequest.argv("/etc/passwd"), ErrorCode.PERMISSION_DENIED, "cannot execute /etc/passwd");
        assertRefused(ExecRequest.argv("ls").withUser("daemon").withCwd("/root"), ErrorCode.PERMISSION_DENIED, "/root");
        assertRefused(ExecRequest.argv("echo", "x".repeat(200_000)), ErrorCode.INVALID_ARGUMENT, "cannot execute echo");
    }

    private void assertRefused(ExecRequest request, ErrorCode code, String message) {
        assertThatThrownBy(() -> connection.start(request, soon()))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    @Test
    void reportsEveryExitCode() {
        for (int code = 0; code <= 255; code++) {
            ExitStatus status =
                    run(ExecRequest.argv("sh", "-c", "exit " + code)).status();
            assertThat(status).isEqualTo(new ExitStatus.Exited(code));
        }
    }

    @Test
    void reportsSignals() {
        for (int signal : new int[] {1, 2, 9, 15}) {
            try (Execution execution = connection.start(ExecRequest.argv("sleep", "100"), soon())) {
                execution.signal(signal);
                assertThat(execution.await(soon())).isEqualTo(new ExitStatus.Killed(signal, false));
            }
        }
    }

    @Test
    void signalsTheWholeGroup() {
        try (Execution execution = connection.start(ExecRequest.argv("sh", "-c", "sleep 100 | sleep 100"), soon())) {
            execution.signal(15);
            assertThat(execution.await(soon()).shellCode()).isEqualTo(143);
        }
    }

    @Test
    void startsCommandsWithPlainSettings() {
        CommandOutput output = run(ExecRequest.argv(
                "sh",
                "-c",
                "cat /proc/self/oom_score_adj; nice; ls /proc/self/fd | wc -l; grep Sig[BI] /proc/self/status"));
        assertThat(output.stdoutText().lines())
                .startsWith("0", "0", "4", "SigBlk:\t0000000000000000")
                // Two signals belong to the C library, which lets nobody change them.
                .last()
                .asString()
                .matches("SigIgn:\t0000000[01]80?0000000|SigIgn:\t0{16}");
    }

    @Test
    void feedsInputAndClosesIt() throws IOException {
        try (Execution execution = connection.start(ExecRequest.argv("wc", "-c").withStdin(true), soon())) {
            execution.stdin().write(new byte[1_000_000]);
            execution.stdin().close();
            assertThat(new String(execution.stdout().readAllBytes(), UTF_8)).isEqualTo("1000000\n");
            assertThat(execution.await(soon()).succeeded()).isTrue();
            assertThat(execution.pid()).isPositive();
        }
    }

    @Test
    void survivesInputThatNobodyReads() throws IOException {
        try (Execution execution = connection.start(
                ExecRequest.argv("sh", "-c", "exec <&-; sleep 0.3").withStdin(true), soon())) {
            byte[] chunk = new byte[4_000_000];
            // Either all of it is taken and thrown away, or the end of the command is reported.
            try {
                execution.stdin().write(chunk);
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("has ended");
            }
            assertThat(execution.await(soon()).succeeded()).isTrue();
        }
        assertThat(run(ExecRequest.argv("cat")).status().succeeded()).isTrue();
    }

    @Test
    void endsWithoutWaitingForBackgroundChildren() {
        long before = System.nanoTime();
        CommandOutput output = run(ExecRequest.shell("sleep 100 & echo hi"));
        assertThat(output.stdoutText()).isEqualTo("hi\n");
        assertThat(System.nanoTime() - before).isLessThan(10_000_000_000L);
    }

    @Test
    void keepsBackgroundChildrenAlive() {
        CommandOutput first = run(ExecRequest.argv(
                "sh", "-c", "(for i in 1 2 3 4 5 6 7 8; do sleep 0.1; echo $i; done; sleep 100) & echo $!"));
        long pid = Long.parseLong(first.stdoutText().strip());
        run(ExecRequest.argv("sleep", "1.2"));
        assertThat(run(ExecRequest.argv("kill", "-0", Long.toString(pid)))
                        .status()
                        .succeeded())
                .isTrue();
        run(ExecRequest.argv("pkill", "-P", Long.toString(pid)));
    }

    @Test
    void deliversEverythingWrittenBeforeTheEnd() {
        for (int i = 0; i < 20; i++) {
            CommandOutput output = run(
                    ExecRequest.argv("sh", "-c", "sleep 50 & head -c 60000 /dev/zero; head -c 50000 /dev/zero >&2"));
            assertThat(output.stdout()).hasSize(60_000);
            assertThat(output.stderr()).hasSize(50_000);
        }
    }

    @Test
    void givesATerminal() throws IOException {
        ExecRequest request = ExecRequest.argv("sh", "-c", "tty; stty size; read x; stty size; echo \"[$x]$TERM\"")
                .withPty(30, 100);
        try (Execution execution = connection.start(request, soon())) {
            InputStream out = execution.stdout();
            String first = readUntil(out, "30 100\r\n");
            assertThat(first).startsWith("/dev/pts/");
            execution.resize(50, 120);
            execution.stdin().write("typed\n".getBytes(UTF_8));
            String rest = new String(out.readAllBytes(), UTF_8);
            assertThat(rest).contains("typed\r\n", "50 120\r\n", "[typed]xterm-256color\r\n");
            assertThat(execution.await(soon()).succeeded()).isTrue();
        }
    }

    @Test
    void closesTheInputOfATerminal() throws IOException {
        try (Execution execution = connection.start(ExecRequest.argv("cat").withPty(24, 80), soon())) {
            execution.stdin().write("line\n".getBytes(UTF_8));
            execution.stdin().close();
            assertThat(new String(execution.stdout().readAllBytes(), UTF_8)).contains("line\r\nline\r\n");
            assertThat(execution.await(soon()).succeeded()).isTrue();
        }
    }

    @Test
    void offersALoginShell() throws IOException {
        try (Execution execution = connection.start(ExecRequest.login().withPty(24, 80), soon())) {
            execution.stdin().write("echo $0; exit 3\n".getBytes(UTF_8));
            assertThat(new String(execution.stdout().readAllBytes(), UTF_8)).contains("-bash\r\n");
            assertThat(execution.await(soon())).isEqualTo(new ExitStatus.Exited(3));
        }
    }

    @Test
    void cutsWhatIsTooLong() {
        CommandOutput output = run(ExecRequest.argv("head", "-c", "5000000", "/dev/zero"));
        assertThat(output.stdout()).hasSize(4 << 20);
        assertThat(output.truncated()).isTrue();
        assertThat(output.status().succeeded()).isTrue();
    }

    @Test
    void endsACommandAtItsDeadline() {
        assertThatThrownBy(() -> connection.run(ExecRequest.argv("sleep", "4711"), Deadline.inMillis(300)))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
        CommandOutput found = run(ExecRequest.argv("pgrep", "-fx", "sleep 4711"));
        assertThat(found.stdoutText()).isEmpty();
    }

    @Test
    void refusesToChangeAMachineThatIsNotItsOwn() {
        assertThatThrownBy(() -> connection.shutdown(ShutdownMode.POWER_OFF, soon()))
                .hasMessageContaining("not the agent's");
        assertThatThrownBy(() -> connection.grow(soon())).hasMessageContaining("cannot grow");
    }

    private static String readUntil(InputStream stream, String end) throws IOException {
        byte[] buffer = new byte[4096];
        int count = 0;
        while (count < buffer.length) {
            int now = stream.read(buffer, count, buffer.length - count);
            assertThat(now).as(new String(Arrays.copyOf(buffer, count), UTF_8)).isPositive();
            count += now;
            String text = new String(buffer, 0, count, UTF_8);
            if (text.endsWith(end)) {
                return text;
            }
        }
        throw new AssertionError("too much output");
    }
}
