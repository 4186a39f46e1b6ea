package io.boxd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many commands and much data at once through the real agent. */
@Tag("host")
class LoadHostTest {
    private static final long MUCH = Boolean.getBoolean("boxd.test.long") ? 1L << 30 : 128L << 20;
    private static final long HEAP_GROWTH_LIMIT = 24L << 20;

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

    private static Deadline eventually() {
        return Deadline.inSeconds(120);
    }

    @Test
    void runsTwoHundredCommandsAtOnce() throws Exception {
        List<Future<String>> outputs = new ArrayList<>();
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 200; i++) {
                ExecRequest request = ExecRequest.argv("sh", "-c", "sleep 1; echo " + i + "; exit " + i);
                outputs.add(callers.submit(() -> {
                    CommandOutput output = connection.run(request, eventually());
                    return output.stdoutText() + output.status().shellCode();
                }));
            }
        }
        for (int i = 0; i < outputs.size(); i++) {
            assertThat(outputs.get(i).get()).isEqualTo(i + "\n" + i);
        }
    }

    @Test
    void refusesMoreCommandsThanItsLimit() {
        List<Execution> executions = new ArrayList<>();
        for (int i = 0; i < 256; i++) {
            executions.add(connection.start(ExecRequest.argv("sleep", "1000"), eventually()));
        }
        assertThatThrownBy(() -> connection.start(ExecRequest.argv("true"), eventually()))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED));
        executions.forEach(execution -> execution.signal(9));
        executions.forEach(execution -> execution.await(eventually()));
        assertThat(connection
                        .run(ExecRequest.argv("true"), eventually())
                        .status()
                        .succeeded())
                .isTrue();
    }

    @Test
    void carriesMuchIntactWhileOthersAreServed() throws Exception {
        long heapBefore = usedHeap();
        MessageDigest received = MessageDigest.getInstance("SHA-256");
        long worstPing = 0;
        Flood flood = new Flood(MUCH);
        try (Execution execution = connection.start(ExecRequest.argv("sh", "-c", flood.command()), eventually())) {
            byte[] chunk = new byte[64 * 1024];
            long total = 0;
            long nextLook = 0;
            InputStream stdout = execution.stdout();
            for (int count = stdout.read(chunk); count >= 0; count = stdout.read(chunk)) {
                received.update(chunk, 0, count);
                total += count;
                if (total >= nextLook) {
                    nextLook += MUCH / 16;
                    worstPing =
                            Math.max(worstPing, connection.ping(eventually()).toMillis());
                    assertThat(usedHeap() - heapBefore).isLessThan(HEAP_GROWTH_LIMIT);
                }
            }
            assertThat(total).isEqualTo(MUCH);
        }
        assertThat(Flood.hex(received)).isEqualTo(flood.sha256From(0));
        assertThat(worstPing).isLessThan(2000);
    }

    private static long usedHeap() {
        Runtime runtime = Runtime.getRuntime();
        runtime.gc();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    @Test
    void carriesInputAndOutputIntact() throws Exception {
        byte[] chunk = new byte[1 << 20];
        new Random(7).nextBytes(chunk);
        MessageDigest sent = MessageDigest.getInstance("SHA-256");
        MessageDigest received = MessageDigest.getInstance("SHA-256");
        try (Execution execution = connection.start(ExecRequest.argv("cat").withStdin(true), eventually())) {
            Thread feeder = Thread.ofVirtual().start(() -> feed(execution.stdin(), chunk, sent));
            byte[] target = new byte[50_000];
            for (int count = execution.stdout().read(target);
                    count >= 0;
                    count = execution.stdout().read(target)) {
                received.update(target, 0, count);
            }
            feeder.join();
            assertThat(execution.await(eventually()).succeeded()).isTrue();
        }
        assertThat(received.digest()).isEqualTo(sent.digest());
    }

    private static void feed(OutputStream stdin, byte[] chunk, MessageDigest sent) {
        try (stdin) {
            for (int i = 0; i < 128; i++) {
                chunk[i]++;
                sent.update(chunk);
                stdin.write(chunk);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aSlowReaderHoldsUpOnlyItself() throws Exception {
        try (Execution slow = connection.start(ExecRequest.argv("yes"), eventually());
                Execution both = connection.start(ExecRequest.argv("sh", "-c", "yes >&2 & yes"), eventually())) {
            for (int i = 0; i < 50; i++) {
                CommandOutput output = connection.run(ExecRequest.argv("echo", "quick"), Deadline.inSeconds(10));
                assertThat(output.stdoutText()).isEqualTo("quick\n");
            }
            assertThat(slow.stdout().read()).isEqualTo('y');
            Thread reader = Thread.ofVirtual().start(() -> swallow(both.stdout()));
            assertThat(both.stderr().read()).isEqualTo('y');
            slow.signal(9);
            both.signal(9);
            slow.stdout().close();
            both.stderr().close();
            assertThat(reader.join(Duration.ofSeconds(30))).isTrue();
            assertThat(slow.await(eventually())).isEqualTo(new ExitStatus.Killed(9, false));
            assertThat(both.await(eventually())).isEqualTo(new ExitStatus.Killed(9, false));
        }
    }

    @Test
    void sharesTheChannelFairly() throws Exception {
        List<Execution> floods = new ArrayList<>();
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Execution flood = connection.start(ExecRequest.argv("yes"), eventually());
            floods.add(flood);
            readers.add(Thread.ofVirtual().start(() -> swallow(flood.stdout())));
        }
        for (int i = 0; i < 20; i++) {
            assertThat(connection
                            .run(ExecRequest.argv("echo", "x"), Deadline.inSeconds(10))
                            .stdoutText())
                    .isEqualTo("x\n");
        }
        floods.forEach(flood -> flood.signal(9));
        for (Thread reader : readers) {
            assertThat(reader.join(Duration.ofSeconds(30))).isTrue();
        }
        floods.forEach(flood -> assertThat(flood.await(eventually())).isEqualTo(new ExitStatus.Killed(9, false)));
    }

    private static void swallow(InputStream stream) {
        try {
            stream.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
