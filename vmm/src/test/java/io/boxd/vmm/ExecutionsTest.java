package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.BusyLease;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.Execution;
import io.boxd.guest.ExecutionId;
import io.boxd.guest.ExecutionInfo;
import io.boxd.guest.ExitStatus;
import io.boxd.guest.OutputChunk;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Executions that outlive their clients, their sessions and forks, in real machines. */
@Tag("machine")
class ExecutionsTest {
    private static final long MIB = 1 << 20;
    private static final int MUCH_OUT_BLOCKS = TestHouse.LONG ? 1024 : 32;
    private static final long MUCH_IN = TestHouse.LONG ? 200 * MIB : 8 * MIB;
    private static final int MANY = TestHouse.LONG ? 100 : 40;
    private static final int ENOSPC = 28;

    private final TestHouse house = TestHouse.get();

    private static Deadline eventually() {
        return Deadline.inSeconds(TestHouse.LONG ? 600 : 180);
    }

    private Machine prepared() throws IOException {
        Machine machine = house.start(house.tinyBase());
        try {
            MachineFlood.prepare(machine);
        } catch (IOException | RuntimeException e) {
            machine.close();
            throw e;
        }
        return machine;
    }

    /** Takes about so many bytes, or all there are; the offset behind them. */
    private static long take(Execution execution, long atMost, MessageDigest digest) {
        long end = execution.from();
        long stop = atMost == Long.MAX_VALUE ? atMost : end + atMost;
        return takeUpTo(execution, end, stop, digest);
    }

    private static long takeUpTo(Execution execution, long from, long stop, MessageDigest digest) {
        long end = from;
        while (end < stop) {
            Optional<OutputChunk> chunk = execution.next(eventually());
            if (chunk.isEmpty()) {
                return end;
            }
            assertThat(chunk.get().offset()).isEqualTo(end);
            digest.update(chunk.get().data());
            end = chunk.get().end();
        }
        return end;
    }

    private static String takeAll(Execution execution) {
        MessageDigest digest = MachineFlood.sha256();
        take(execution, Long.MAX_VALUE, digest);
        return HexFormat.of().formatHex(digest.digest());
    }

    private static ExecutionInfo info(Machine machine, ExecutionId id) {
        return machine.agent().executions(eventually()).stream()
                .filter(info -> info.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static void awaitEnd(Machine machine, ExecutionId id) {
        TestHouse.await(Duration.ofMinutes(2), () -> !info(machine, id).running());
    }

    @Test
    void aDroppedConnectionCostsNoByteAndTheEndIsRemembered() throws Exception {
        MachineFlood flood = new MachineFlood(12);
        long bytes = flood.bytes();
        MessageDigest received = MachineFlood.sha256();
        try (Machine machine = prepared()) {
            ExecutionId id = ExecutionId.random();
            long offset = 0;
            for (int session = 0; offset < bytes; session++) {
                AgentConnection agent = machine.agent();
                Execution execution = session == 0
                        ? agent.start(id, flood.request(), eventually())
                        : agent.attach(id, offset, eventually());
                assertThat(execution.from()).isEqualTo(offset);
                offset = take(execution, 2 * MIB, received);
                // As if the server had died: in the middle of whatever is under way.
                agent.close();
            }
            assertThat(HexFormat.of().formatHex(received.digest())).isEqualTo(flood.sha256From(0));
            awaitEnd(machine, id);
            assertThat(info(machine, id).status()).contains(new ExitStatus.Exited(0));
            assertThat(info(machine, id).keepErrno()).isZero();
        }
    }

    @Test
    void carriesMuchInBothDirections() throws Exception {
        try (Machine machine = prepared()) {
            MachineFlood flood = new MachineFlood(MUCH_OUT_BLOCKS);
            try (Execution out = machine.agent().start(flood.request(), eventually())) {
                assertThat(takeAll(out)).isEqualTo(flood.sha256From(0));
                assertThat(out.await(eventually()).succeeded()).isTrue();
            }
            byte[] chunk = new byte[(int) MIB];
            MessageDigest sent = MachineFlood.sha256();
            try (Execution in = machine.agent()
                    .start(ExecRequest.argv("/bin/sh", "-c", "sha256sum").withStdin(true), eventually())) {
                try (OutputStream stdin = in.stdin()) {
                    for (long i = 0; i < MUCH_IN / MIB; i++) {
                        Arrays.fill(chunk, (byte) i);
                        sent.update(chunk);
                        stdin.write(chunk);
                    }
                }
                String sum = new String(in.stdout().readAllBytes(), US_ASCII);
                assertThat(sum).startsWith(HexFormat.of().formatHex(sent.digest()));
            }
        }
    }

    @Test
    void manyExecutionsOutliveASession() throws Exception {
        try (Machine machine = house.start(house.tinyBase())) {
            AgentConnection first = machine.agent();
            List<ExecutionId> ids = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                ExecRequest request = ExecRequest.argv("/bin/sh", "-c", "read word; echo $word " + i + "; exit " + i);
                ids.add(first.start(request.withStdin(true), eventually()).id());
            }
            first.close();
            AgentConnection second = machine.agent();
            assertThat(second.executions(eventually())).hasSize(MANY).allMatch(ExecutionInfo::running);
            List<Future<String>> answers = new ArrayList<>();
            try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
                ids.forEach(id -> answers.add(clients.submit(() -> ask(second, id))));
            }
            for (int i = 0; i < MANY; i++) {
                assertThat(answers.get(i).get()).isEqualTo("hello " + i + "\n" + i);
            }
        }
    }

    private static String ask(AgentConnection agent, ExecutionId id) throws IOException {
        try (Execution execution = agent.attach(id, 0, eventually())) {
            execution.stdin().write("hello\n".getBytes(US_ASCII));
            String said = new String(execution.stdout().readAllBytes(), US_ASCII);
            return said + execution.await(eventually()).shellCode();
        }
    }

    @Test
    void aFullDiskHarmsNeitherTheCommandNorTheAgent() throws Exception {
        MachineFlood flood = new MachineFlood(8);
        long bytes = flood.bytes();
        try (Machine machine = prepared()) {
            sh(machine, "cat /dev/zero > /data/filler 2>/dev/null; test -s /data/filler");
            ExecutionId id;
            try (Execution execution = machine.agent().start(flood.request(), eventually())) {
                id = execution.id();
            }
            awaitEnd(machine, id);
            ExecutionInfo info = info(machine, id);
            assertThat(info.outputBytes()).isEqualTo(bytes);
            assertThat(info.keepErrno()).isEqualTo(ENOSPC);
            assertThat(info.keptFrom()).isBetween(bytes - MIB, bytes - 1);
            try (Execution late = machine.agent().attach(id, 0, eventually())) {
                assertThat(late.from()).isEqualTo(info.keptFrom());
                assertThat(takeAll(late)).isEqualTo(flood.sha256From(info.keptFrom()));
            }
            assertThat(sh(machine, "rm /data/filler; echo well")).isEqualTo("well");
        }
    }

    @Test
    void programsInsideSayThatTheyAreBusy() {
        try (Machine machine = house.start(house.tinyBase())) {
            sh(machine, "boxd busy --for 10m --name build");
            assertThat(machine.agent().leases(eventually()))
                    .singleElement()
                    .satisfies(lease -> assertThat(lease.name()).isEqualTo("build"));
            List<BusyLease> told = new CopyOnWriteArrayList<>();
            machine.agent().onLeasesChanged(leases -> {
                told.clear();
                told.addAll(leases);
            });
            try (Execution held = machine.agent()
                    .start(
                            ExecRequest.argv("/bin/sh", "-c", "boxd busy -- sh -c 'read x; exit 5'")
                                    .withUser("boxd")
                                    .withStdin(true),
                            eventually())) {
                TestHouse.await(Duration.ofSeconds(30), () -> told.size() == 2);
                assertThat(told.stream().filter(BusyLease::held).map(BusyLease::user))
                        .containsExactly(1000L);
                held.stdin().write('\n');
                assertThat(held.await(eventually())).isEqualTo(new ExitStatus.Exited(5));
                TestHouse.await(Duration.ofSeconds(30), () -> told.size() == 1);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            sh(machine, "boxd busy --clear");
            assertThat(machine.agent().leases(eventually())).isEmpty();
        }
    }

    @Test
    void aDistributionHasTheCommandAndADiskForOutput() throws Exception {
        try (Machine machine = house.start(house.debianBase())) {
            MachineFlood.prepare(machine);
            ExecRequest busy = ExecRequest.shell("boxd busy --for 1m && boxd busy --list")
                    .withUser(house.debian().defaultUser());
            assertThat(machine.agent().run(busy, eventually()).stdoutText()).startsWith("busy\tuser 1000\t");
            MachineFlood flood = new MachineFlood(4);
            try (Execution execution = machine.agent().start(flood.request(), eventually())) {
                assertThat(takeAll(execution)).isEqualTo(flood.sha256From(0));
                assertThat(info(machine, execution.id()).keptFrom()).isZero();
                assertThat(info(machine, execution.id()).keepErrno()).isZero();
            }
            assertThat(sh(machine, "stat -c %a /var/lib/boxd/output; ls -A /var/lib/boxd/output"))
                    .isEqualTo("700");
        }
    }

    @Test
    void aForkHasTheExecutionAndTheSourcesStreamIsUnbroken() throws Exception {
        MachineFlood flood = new MachineFlood(12);
        long bytes = flood.bytes();
        String expected = flood.sha256From(0);
        try (Machine source = prepared();
                Execution stream = source.agent().start(flood.request(), eventually())) {
            MessageDigest received = MachineFlood.sha256();
            long offset = take(stream, MIB, received);
            try (Machine child = house.fork(source);
                    Execution inherited = child.agent().attach(stream.id(), 0, eventually())) {
                assertThat(inherited.from()).isZero();
                assertThat(takeAll(inherited)).isEqualTo(expected);
                assertThat(inherited.await(eventually()).succeeded()).isTrue();
            }
            assertThat(takeUpTo(stream, offset, Long.MAX_VALUE, received)).isEqualTo(bytes);
            assertThat(HexFormat.of().formatHex(received.digest())).isEqualTo(expected);
            assertThat(stream.await(eventually()).succeeded()).isTrue();
            assertThat(stream.lostBytes()).isZero();
        }
    }

    @Test
    void standbyKeepsExecutionsAndTheirClients() throws Exception {
        MachineFlood flood = new MachineFlood(8);
        long bytes = flood.bytes();
        try (Machine machine = prepared();
                Execution stream = machine.agent().start(flood.request(), eventually())) {
            MessageDigest received = MachineFlood.sha256();
            long offset = take(stream, MIB / 2, received);
            machine.pause(eventually());
            machine.resume(eventually());
            assertThat(takeUpTo(stream, offset, Long.MAX_VALUE, received)).isEqualTo(bytes);
            assertThat(HexFormat.of().formatHex(received.digest())).isEqualTo(flood.sha256From(0));
        }
    }
}
