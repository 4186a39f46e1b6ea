package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.network.Ipv4Range;
import io.boxd.network.TestingHost;
import io.boxd.network.Watch;
import io.boxd.network.Wires;
import io.boxd.vmm.Engine;
import io.boxd.vmm.Machine;
import io.boxd.vmm.Snapshot;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server with machines on wires is killed: they do not notice, and the next server takes over what it needs. */
@Tag("machine")
class KilledWiresTest {
    private TestingHost host;
    private Process server;
    private Inet4Address awake;
    private Inet4Address asleep;
    private Caller caller;

    @BeforeEach
    void open() throws IOException {
        host = TestingHost.open();
        server = ServerProcess.start(
                WiredServer.class, host.home(), Map.of(), host.home().toString(), host.uplink());
        String line =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8)).readLine();
        assertThat(line).as("where the machines are").isNotNull();
        List<String> words = List.of(line.split(" ", -1));
        host.route(Ipv4Range.parse(words.get(0)));
        awake = (Inet4Address) InetAddress.getByName(words.get(1));
        asleep = (Inet4Address) InetAddress.getByName(words.get(2));
        caller = new Caller(awake);
    }

    /** Whatever the test has come to, a server that ends its machines is the last. */
    @AfterEach
    void close() throws InterruptedException {
        kill();
        caller.end();
        try (Wires wires = wires();
                SqliteRecord record = record();
                Engine engine = engine(record, new MachineWires(wires))) {
            engine.found().machines().forEach(Machine::close);
            engine.found().remains().forEach(engine::discard);
            engine.snapshots().forEach(engine::forget);
            wires.removeUnclaimed();
        } finally {
            host.close();
        }
    }

    private void kill() throws InterruptedException {
        server.destroyForcibly();
        assertThat(server.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }

    private Wires wires() {
        return Wires.open(WiredServer.config(host.home(), host.uplink(), 0), Deadline.inSeconds(30));
    }

    private SqliteRecord record() {
        return SqliteRecord.open(host.home().resolve("record.db"));
    }

    private Engine engine(SqliteRecord record, MachineWires uplinks) {
        return WorkerHouse.open(host.home(), WorkerHouse.cache(), TestingHost.REGISTRY, record, uplinks);
    }

    @Test
    void wiresCarryOnAndAreClaimed() throws Exception {
        caller.awaitMore();
        awaitPings();
        kill();
        caller.awaitMore();
        awaitPings();
        try (Wires wires = wires();
                SqliteRecord record = record()) {
            assertThat(wires.unclaimed()).hasSize(1 + WiredServer.STOCK);
            MachineWires uplinks = new MachineWires(wires);
            try (Engine engine = engine(record, uplinks)) {
                takeOver(wires, uplinks, engine);
                caller.awaitMore();
                awaitPings();
                assertThat(caller.end()).as("calls that failed").isEmpty();
                engine.found().machines().forEach(Machine::close);
                engine.snapshots().forEach(engine::forget);
            }
            assertThat(wires.unclaimed()).isEmpty();
        }
        assertThat(host.traces()).isEmpty();
    }

    private void takeOver(Wires wires, MachineWires uplinks, Engine engine) throws Exception {
        assertThat(engine.found().remains()).isEmpty();
        Machine machine = engine.found().machines().getFirst();
        assertThat(engine.found().machines()).hasSize(1);
        assertThat(uplinks.of(machine).address()).isEqualTo(awake);
        assertThat(wires.unclaimed()).as("the stock of the server before").hasSize(WiredServer.STOCK);
        CompletableFuture<Watch> watch = new CompletableFuture<>();
        CompletableFuture<Machine> woken = new CompletableFuture<>();
        Snapshot sleeper = engine.snapshots().getFirst();
        watch.complete(wires.watch(
                List.of(asleep),
                knock -> woken.completeAsync(() -> {
                    Machine again = engine.start(sleeper, sleeper.identity().next(), Deadline.inSeconds(60));
                    watch.join().deliverTo(uplinks.of(again), Deadline.inSeconds(10));
                    return again;
                })));
        wires.removeUnclaimed();
        assertThat(wires.unclaimed()).isEmpty();
        assertThat(host.namespaces()).as("wires on this host").hasSize(1);
        assertThat(NamePage.get(asleep)).isEqualTo("asleep");
        assertThat(WorkerHouse.sh(machine, "hostname")).isEqualTo("awake");
        woken.get(30, TimeUnit.SECONDS).close();
    }

    /** The machine that is awake calls the world all the time. */
    private void awaitPings() {
        long before = host.arrived();
        TestingHost.await("the machine's packets in the world", () -> host.arrived() > before + 1);
    }

    /** Calls a machine again and again, and remembers what went wrong. */
    private static final class Caller {
        private final List<Exception> failures = new CopyOnWriteArrayList<>();
        private final AtomicInteger answers = new AtomicInteger();
        private volatile boolean ended;
        private final Thread thread;

        Caller(Inet4Address address) {
            thread = Thread.ofVirtual().start(() -> {
                while (!ended) {
                    try {
                        assertThat(NamePage.get(address)).isEqualTo("awake");
                        answers.incrementAndGet();
                    } catch (IOException | RuntimeException e) {
                        failures.add(e);
                    }
                }
            });
        }

        /** Two more than now: the second was begun after this was called. */
        void awaitMore() {
            int before = answers.get();
            TestingHost.await("the machine's answers", () -> answers.get() >= before + 2);
        }

        /** Calls no more, and says what went wrong. */
        List<Exception> end() throws InterruptedException {
            ended = true;
            thread.join();
            return failures;
        }
    }
}
