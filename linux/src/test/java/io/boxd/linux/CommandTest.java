package io.boxd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
@Timeout(60)
final class CommandTest {
    private static final int MAX_OUTPUT = 4 << 20;

    @TempDir
    private Path folder;

    private static Deadline soon() {
        return Deadline.inSeconds(20);
    }

    private static Command shell(String script) {
        return Command.of("sh", "-c", script);
    }

    @Test
    void keepsOutputErrorsAndStatusApart() {
        Command.Result result = shell("echo out; echo err >&2; exit 7").run(soon());
        assertThat(result).isEqualTo(new Command.Result(7, "out\n", "err\n"));
        assertThat(result.succeeded()).isFalse();
        assertThat(Command.of("true").run(soon()).succeeded()).isTrue();
    }

    @Test
    void argumentsAreNeverReadByAShell() {
        assertThat(Command.of("echo", "$(id); `id` * \"'").run(soon()).output()).isEqualTo("$(id); `id` * \"'\n");
    }

    @Test
    void environmentDirectoryAndInputArriveAndTheOriginalIsUnchanged() {
        Command original = shell("printf '%s ' \"$COLOUR\"; pwd; cat");
        Command changed =
                original.withEnvironment("COLOUR", "grün").withDirectory(folder).withInput("süß\n");
        assertThat(changed.run(soon()).output()).isEqualTo("grün " + folder + "\nsüß\n");
        assertThat(original.run(soon()).output()).doesNotContain("grün");
    }

    @Test
    void failedCheckQuotesTheProgram() {
        assertThatThrownBy(() -> shell("echo no such image >&2; exit 3").check(soon()))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERNAL))
                .hasMessage("sh failed with status 3: no such image");
        assertThatThrownBy(() -> shell("echo only on output; exit 1").check(soon()))
                .hasMessage("sh failed with status 1: only on output");
    }

    @Test
    void failedCheckQuotesOnlyTheTail() {
        assertThatThrownBy(() -> shell("head -c 100000 /dev/zero | tr '\\0' x >&2; echo end >&2; exit 1")
                        .check(soon()))
                .message()
                .endsWith("end")
                .hasSizeLessThan(2100);
    }

    @Test
    void missingProgramIsUnavailableWithAHint() {
        assertThatThrownBy(() -> Command.of("/nonexistent/program").run(soon()))
                .isInstanceOfSatisfying(BoxdException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                    assertThat(e.hint()).isNotNull();
                })
                .hasMessage("cannot start /nonexistent/program");
    }

    @Test
    void missedDeadlineKillsTheProgramAndWhatItStarted() throws IOException {
        Path pids = folder.resolve("pids");
        Command stuck = shell("sleep 300 & echo $! > '" + pids + "'; echo $$ >> '" + pids + "'; wait");
        long before = System.nanoTime();
        assertThatThrownBy(() -> stuck.run(Deadline.inMillis(700)))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT))
                .hasMessageContaining("700 ms");
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(10));
        List<String> started = Files.readAllLines(pids);
        assertThat(started).hasSize(2);
        for (String pid : started) {
            assertThat(endsSoon(Long.parseLong(pid)))
                    .as("process " + pid + " ends")
                    .isTrue();
        }
    }

    @Test
    void outputIsBoundedToItsTail() {
        Command.Result result =
                shell("head -c 20000000 /dev/zero | tr '\\0' x; echo end").run(soon());
        assertThat(result.output()).hasSize(MAX_OUTPUT).endsWith("xend\n");
    }

    @Test
    void muchOnBothStreamsDoesNotBlock() {
        Command.Result result = shell("head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero")
                .run(soon());
        assertThat(result.output()).hasSize(1_000_000);
        assertThat(result.errors()).hasSize(1_000_000);
    }

    @Test
    void bytesThatAreNotTextDoNotBreakIt() {
        assertThat(shell("printf 'a\\377\\376b'").run(soon()).output())
                .startsWith("a")
                .endsWith("b");
    }

    @Test
    void backgroundChildKeepingTheOutputOpenDoesNotHoldUsUp() {
        long before = System.nanoTime();
        Command.Result result = shell("sleep 30 & echo $!").run(Deadline.inSeconds(25));
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(15));
        assertThat(result.succeeded()).isTrue();
        end(result.output());
    }

    @Test
    void backgroundChildKeepingTheInputOpenDoesNotHoldUsPastTheDeadline() {
        // The input is larger than a pipe holds, and the one who has it open never reads.
        Command command =
                shell("exec 3<&0; sleep 30 <&3 >/dev/null 2>&1 & echo $!").withInput("x".repeat(1 << 20));
        long before = System.nanoTime();
        Command.Result result = command.run(Deadline.inSeconds(2));
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(15));
        assertThat(result.succeeded()).isTrue();
        end(result.output());
    }

    @Test
    void programThatIgnoresItsInputIsNoError() {
        assertThat(Command.of("true").withInput("x".repeat(1 << 20)).run(soon()).succeeded())
                .isTrue();
    }

    @Test
    void linesArriveWholeFromBothStreams() {
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        shell("printf 'one\\r\\n\\ntwo\\nrest'; echo three >&2")
                .withLines(lines::add)
                .run(soon());
        assertThat(lines).containsExactlyInAnyOrder("one", "two", "rest", "three");
    }

    @Test
    void endlessLineIsCutWithoutLosingAnything() {
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        shell("head -c 10000 /dev/zero | tr '\\0' y").withLines(lines::add).run(soon());
        assertThat(lines).hasSize(3).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(4096));
        assertThat(String.join("", lines)).hasSize(10_000);
    }

    @Test
    void interruptionKillsTheProgramAndStaysVisible() throws IOException, InterruptedException {
        Path pid = folder.resolve("pid");
        AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
        AtomicReference<@Nullable Boolean> interrupted = new AtomicReference<>();
        Thread runner = Thread.ofVirtual().start(() -> {
            try {
                shell("echo $$ > '" + pid + ".new'; mv '" + pid + ".new' '" + pid + "'; exec sleep 300")
                        .run(soon());
            } catch (BoxdException e) {
                thrown.set(e);
                interrupted.set(Thread.currentThread().isInterrupted());
            }
        });
        Deadline deadline = soon();
        while (!Files.exists(pid) && !deadline.passed()) {
            Thread.onSpinWait();
        }
        runner.interrupt();
        runner.join();
        assertThat(thrown.get()).hasMessage("sh was interrupted").hasCauseInstanceOf(InterruptedException.class);
        assertThat(interrupted.get()).isTrue();
        assertThat(endsSoon(Long.parseLong(Files.readString(pid).strip()))).isTrue();
    }

    @Test
    void manyAtOnce() throws InterruptedException {
        List<String> outputs = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            String word = "word" + i;
            threads.add(Thread.ofVirtual()
                    .start(() -> outputs.add(
                            shell("sleep 0.2; echo " + word).run(soon()).output())));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(outputs).hasSize(40).doesNotHaveDuplicates();
    }

    /** Whether the process is gone, or a zombie that only waits for its parent, within ten seconds. */
    private static boolean endsSoon(long pid) {
        Deadline deadline = Deadline.inSeconds(10);
        while (runs(pid)) {
            if (deadline.passed()) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    private static boolean runs(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException e) {
            return false;
        }
    }

    private static void end(String pid) {
        ProcessHandle.of(Long.parseLong(pid.strip())).ifPresent(ProcessHandle::destroyForcibly);
    }
}
