package io.boxd.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What executions have said is kept, in order and within bounds, by the real agent. */
@Tag("host")
class KeptOutputHostTest {
    private static final long MIB = 1 << 20;
    private static final int ENOSPC = 28;
    private static final int EROFS = 30;
    private static final int ENOTDIR = 20;
    private static final int ELOOP = 40;

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
        return Deadline.inSeconds(60);
    }

    private static ExecRequest request(Flood flood) {
        return ExecRequest.argv("sh", "-c", flood.command());
    }

    private static void await(BooleanSupplier condition) {
        Deadline deadline = soon();
        while (!condition.getAsBoolean()) {
            assertThat(deadline.passed()).as("in time").isFalse();
            LockSupport.parkNanos(5_000_000);
        }
    }

    private static ExecutionInfo info(AgentConnection connection, ExecutionId id) {
        return connection.executions(soon()).stream()
                .filter(info -> info.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static void awaitEnd(AgentConnection connection, ExecutionId id) {
        await(() -> !info(connection, id).running());
    }

    /** Takes chunks up to about so many bytes, or to the end; the offset behind the last one. */
    private static long take(Execution execution, long atMost, MessageDigest digest) {
        long end = execution.from();
        long from = end;
        while (end - from < atMost) {
            Optional<OutputChunk> chunk = execution.next(soon());
            if (chunk.isEmpty()) {
                return end;
            }
            assertThat(chunk.get().offset()).isEqualTo(end);
            digest.update(chunk.get().data());
            end = chunk.get().end();
        }
        return end;
    }

    @Test
    void aClientThatVanishesInMidStreamComesBackWithoutMissingAByte() throws Exception {
        Flood flood = new Flood(12 * MIB);
        MessageDigest received = Flood.sha256();
        ExecutionId id = ExecutionId.random();
        long offset = 0;
        int sessions = 0;
        while (true) {
            // Closed in the middle of frames that were under way.
            try (AgentConnection connection = agent.connect()) {
                Execution execution = sessions++ == 0
                        ? connection.start(id, request(flood), soon())
                        : connection.attach(id, offset, soon());
                assertThat(execution.from()).isEqualTo(offset);
                long before = offset;
                offset = take(execution, MIB, received);
                if (offset - before < MIB) {
                    assertThat(execution.await(soon()).succeeded()).isTrue();
                    assertThat(execution.lostBytes()).isZero();
                    break;
                }
            }
        }
        assertThat(sessions).isGreaterThan(10);
        assertThat(offset).isEqualTo(flood.bytes());
        assertThat(Flood.hex(received)).isEqualTo(flood.sha256From(0));
    }

    @Test
    void beyondTheBoundTheOldestIsDroppedAndTheAnswerSaysWhereItGoesOn() throws Exception {
        Flood flood = new Flood(24 * MIB);
        try (AgentConnection connection = agent.connect()) {
            ExecutionId id;
            try (Execution execution = connection.start(request(flood).withKeepBytes(2 * MIB), soon())) {
                id = execution.id();
            }
            // With nobody listening nothing holds it up.
            awaitEnd(connection, id);
            ExecutionInfo info = info(connection, id);
            assertThat(info.outputBytes()).isEqualTo(flood.bytes());
            assertThat(info.keptFrom()).isBetween(flood.bytes() - 3 * MIB, flood.bytes() - MIB);
            assertThat(info.keepErrno()).isZero();
            MessageDigest received = Flood.sha256();
            try (Execution late = connection.attach(id, 5, soon())) {
                assertThat(late.from()).isEqualTo(info.keptFrom());
                assertThat(take(late, Long.MAX_VALUE, received)).isEqualTo(flood.bytes());
                assertThat(late.await(soon()).succeeded()).isTrue();
            }
            assertThat(Flood.hex(received)).isEqualTo(flood.sha256From(info.keptFrom()));
        }
    }

    /** The counterpart of the test before, where the same bound loses bytes because nobody listens. */
    @Test
    void whatAnOpenClientHasNotReadIsNotDroppedAndHoldsUpNobodyElse() throws Exception {
        Flood flood = new Flood(24 * MIB);
        try (AgentConnection connection = agent.connect();
                Execution slow = connection.start(request(flood).withKeepBytes(2 * MIB), soon());
                Execution quick = connection.attach(slow.id(), 0, soon())) {
            MessageDigest quickly = Flood.sha256();
            CompletableFuture<Long> reader = CompletableFuture.supplyAsync(() -> take(quick, Long.MAX_VALUE, quickly));
            await(() -> info(connection, slow.id()).outputBytes() > MIB);
            for (int i = 0; i < 20; i++) {
                assertThat(connection
                                .run(ExecRequest.argv("echo", "other"), soon())
                                .stdoutText())
                        .isEqualTo("other\n");
            }
            ExecutionInfo held = info(connection, slow.id());
            assertThat(held.running()).isTrue();
            assertThat(held.keptFrom()).isZero();
            assertThat(held.clients()).isEqualTo(2);
            assertThat(reader).isNotDone();
            MessageDigest slowly = Flood.sha256();
            assertThat(take(slow, Long.MAX_VALUE, slowly)).isEqualTo(flood.bytes());
            assertThat(reader.get()).isEqualTo(flood.bytes());
            assertThat(Flood.hex(slowly)).isEqualTo(flood.sha256From(0));
            assertThat(Flood.hex(quickly)).isEqualTo(flood.sha256From(0));
        }
    }

    @Test
    void aClientThatLeavesStopsCounting() throws Exception {
        Flood flood = new Flood(24 * MIB);
        try (AgentConnection connection = agent.connect();
                Execution quick = connection.start(request(flood).withKeepBytes(MIB), soon())) {
            Execution idle = connection.attach(quick.id(), 0, soon());
            MessageDigest digest = Flood.sha256();
            CompletableFuture<Long> reader = CompletableFuture.supplyAsync(() -> take(quick, Long.MAX_VALUE, digest));
            await(() -> info(connection, quick.id()).outputBytes() > MIB / 2);
            assertThat(reader).isNotDone();
            idle.close();
            assertThat(reader.get()).isEqualTo(flood.bytes());
            assertThat(Flood.hex(digest)).isEqualTo(flood.sha256From(0));
            assertThat(quick.await(soon()).succeeded()).isTrue();
        }
    }

    @Test
    void replayKeepsTheOrderOfBothChannels() throws Exception {
        String script = "for i in 1 2 3 4 5 6 7 8; do echo out $i; sleep 0.02; echo err $i >&2; sleep 0.02; done";
        List<String> expected = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            expected.add("STDOUT out " + i);
            expected.add("STDERR err " + i);
        }
        try (AgentConnection connection = agent.connect();
                Execution live = connection.start(ExecRequest.argv("sh", "-c", script), soon())) {
            assertThat(lines(live)).isEqualTo(expected);
            try (Execution replay = connection.attach(live.id(), 0, soon())) {
                assertThat(lines(replay)).isEqualTo(expected);
            }
            try (Execution rest = connection.attach(live.id(), 12, soon())) {
                assertThat(lines(rest)).isEqualTo(expected.subList(2, expected.size()));
            }
        }
    }

    private static List<String> lines(Execution execution) {
        List<String> lines = new ArrayList<>();
        for (Optional<OutputChunk> next = execution.next(soon()); next.isPresent(); next = execution.next(soon())) {
            OutputChunk chunk = next.get();
            new String(chunk.bytes(), UTF_8).lines().forEach(line -> lines.add(chunk.channel() + " " + line));
        }
        return lines;
    }

    @Test
    void anEndIsRememberedForLaterSessions() throws Exception {
        ExecutionId exited;
        ExecutionId killed;
        try (AgentConnection connection = agent.connect();
                Execution first = connection.start(ExecRequest.argv("sh", "-c", "echo said; exit 7"), soon());
                Execution second = connection.start(ExecRequest.argv("sleep", "1000"), soon())) {
            exited = first.id();
            killed = second.id();
        }
        try (AgentConnection connection = agent.connect()) {
            connection.kill(killed, 15, soon());
            awaitEnd(connection, killed);
            awaitEnd(connection, exited);
            assertThat(info(connection, killed).status()).contains(new ExitStatus.Killed(15, false));
            ExecutionInfo info = info(connection, exited);
            assertThat(info.status()).contains(new ExitStatus.Exited(7));
            assertThat(info.command()).isEqualTo("sh -c echo said; exit 7");
            assertThat(info.user()).isEqualTo("root");
            assertThat(info.ended())
                    .hasValueSatisfying(ended -> assertThat(ended).isAfterOrEqualTo(info.started()));
            assertThat(info.lastOutput()).isPresent();
            assertThat(info.lastInput()).isEmpty();
            assertThat(info.outputBytes()).isEqualTo(5);
            try (Execution execution = connection.attach(exited, 0, soon())) {
                assertThat(execution.stdout().readAllBytes()).isEqualTo("said\n".getBytes(UTF_8));
                assertThat(execution.await(soon())).isEqualTo(new ExitStatus.Exited(7));
            }
        }
    }

    @Test
    void aFullDiskLeavesWhatMemoryHolds() throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        mount(disk, "size=8m");
        try (TestingAgent poor = TestingAgent.startWithOutput(disk.resolve("output"));
                AgentConnection connection = poor.connect()) {
            Flood flood = new Flood(24 * MIB);
            // First what fits, then nothing at all.
            assertThat(keptFrom(connection, flood, ENOSPC)).isBetween(flood.bytes() - 8 * MIB, flood.bytes() - MIB);
            Command.of("sh", "-c", "head -c 100m /dev/zero > " + disk.resolve("filler"))
                    .run(soon());
            assertThat(keptFrom(connection, flood, ENOSPC)).isBetween(flood.bytes() - MIB, flood.bytes() - MIB / 8);
        } finally {
            Command.of("umount", disk.toString()).check(soon());
        }
    }

    @Test
    void aReadOnlyDiskAndAPlantedLinkAreNotUsed() throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        mount(disk, "size=8m,ro");
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), elsewhere);
        Flood flood = new Flood(4 * MIB);
        try (TestingAgent readOnly = TestingAgent.startWithOutput(disk.resolve("output"));
                AgentConnection connection = readOnly.connect()) {
            keptFrom(connection, flood, EROFS);
        } finally {
            Command.of("umount", disk.toString()).check(soon());
        }
        try (TestingAgent planted = TestingAgent.startWithOutput(link);
                AgentConnection connection = planted.connect()) {
            keptFrom(connection, flood, ENOTDIR, ELOOP);
        }
        assertThat(elsewhere).isEmptyDirectory();
    }

    private static void mount(Path target, String options) {
        Command.of("mount", "-t", "tmpfs", "-o", options, "boxd-test", target.toString())
                .check(soon());
    }

    /** Runs a flood that nobody listens to; what is kept of it must be its end, unharmed. */
    private static long keptFrom(AgentConnection connection, Flood flood, Integer... errors) throws Exception {
        ExecutionId id;
        try (Execution execution = connection.start(request(flood), soon())) {
            id = execution.id();
        }
        awaitEnd(connection, id);
        ExecutionInfo info = info(connection, id);
        assertThat(info.outputBytes()).isEqualTo(flood.bytes());
        assertThat(info.keepErrno()).isIn((Object[]) errors);
        MessageDigest digest = Flood.sha256();
        try (Execution late = connection.attach(id, 0, soon())) {
            take(late, Long.MAX_VALUE, digest);
        }
        assertThat(Flood.hex(digest)).isEqualTo(flood.sha256From(info.keptFrom()));
        connection.forget(id, soon());
        return info.keptFrom();
    }

    @Test
    void theFolderStaysEmptyAndNobodyElseMayEnterIt() throws Exception {
        Path output = folder.resolve("output");
        try (TestingAgent other = TestingAgent.startWithOutput(output);
                AgentConnection connection = other.connect();
                Execution execution = connection.start(request(new Flood(4 * MIB)), soon())) {
            take(execution, Long.MAX_VALUE, Flood.sha256());
            assertThat(output).isEmptyDirectory();
            assertThat(Files.getPosixFilePermissions(output)).hasSize(3);
            assertThat(info(connection, execution.id()).keepErrno()).isZero();
        }
    }

    @Test
    void onlySoManyAreRemembered() throws Exception {
        try (AgentConnection connection = agent.connect()) {
            List<ExecutionId> ids = new ArrayList<>();
            for (int i = 0; i < 1100; i++) {
                try (Execution execution = connection.start(ExecRequest.argv("echo", Integer.toString(i)), soon())) {
                    execution.await(soon());
                    ids.add(execution.id());
                }
            }
            List<ExecutionInfo> remembered = connection.executions(soon());
            assertThat(remembered).hasSize(1024);
            assertThat(remembered.stream().map(ExecutionInfo::id)).isEqualTo(ids.subList(76, 1100));
        }
    }

    @Test
    void whatRunHasReportedIsNotRemembered() throws Exception {
        try (AgentConnection connection = agent.connect()) {
            connection.run(ExecRequest.argv("echo", "x"), soon());
            assertThatThrownBy(
                            () -> connection.run(ExecRequest.argv("sleep", "77"), Deadline.in(Duration.ofMillis(300))))
                    .hasMessageContaining("did not finish");
            await(() -> connection.executions(soon()).isEmpty());
        }
    }
}
