package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.network.TestingHost;
import io.boxd.network.Watch;
import io.boxd.network.Wire;
import io.boxd.network.Wires;
import io.boxd.vmm.Machine;
import io.boxd.vmm.Snapshot;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Machines that sleep on disk and are called: they wake on another wire, and the caller notices nothing but time. */
@Tag("machine")
class SleepingMachineTest {
    private static final int DATAGRAMS = 7;
    /** Nobody listens there, and the machine's kernel counts such datagrams. */
    private static final int DISCARD = 9;

    private TestingHost host;
    private Wires wires;
    private TestingMachines machines;

    @BeforeEach
    void open() {
        host = TestingHost.open();
        wires = host.open(1);
        machines = TestingMachines.open(host, wires);
    }

    @AfterEach
    void close() {
        try {
            machines.close();
        } finally {
            host.close();
        }
    }

    @Test
    void aCallWakesAHibernatedMachineOnAnotherWireAndNoPacketIsLost() throws Exception {
        Machine machine = machines.start(machines.tiny());
        NamePage.serve(machine);
        Wire first = machines.wire(machine);
        assertThat(NamePage.get(first.address())).isEqualTo("test");
        Sleep sleep = sleep(machine);
        assertThat(Files.exists(first.namespace()))
                .as("the wire of a sleeping machine")
                .isFalse();
        send(first.address(), DATAGRAMS);
        assertThat(NamePage.get(first.address())).isEqualTo("test");
        Machine second = sleep.woken().get(30, TimeUnit.SECONDS);
        Wire other = machines.wire(second);
        assertThat(other.address()).isNotEqualTo(first.address());
        assertThat(sleep.watch().lost()).isZero();
        assertThat(strayDatagrams(second)).isEqualTo(DATAGRAMS);
        assertReached(first, other);
        // The red control of the count: one more datagram is one more.
        send(other.address(), 1);
        TestingHost.await("a datagram in the machine", () -> strayDatagrams(second) == DATAGRAMS + 1);

        Sleep again = sleep(second);
        assertThat(again.watch().addresses()).containsExactlyInAnyOrder(first.address(), other.address());
        assertThat(NamePage.get(first.address())).isEqualTo("test");
        Machine third = again.woken().get(30, TimeUnit.SECONDS);
        assertReached(first, other, machines.wire(third));
        third.close();
        wires.close();
        assertThat(host.traces()).isEmpty();
    }

    private static void assertReached(Wire... places) throws IOException {
        for (Wire place : places) {
            assertThat(NamePage.get(place.address())).as(place.toString()).isEqualTo("test");
        }
    }

    /** A machine that sleeps until it is called. */
    private record Sleep(Watch watch, CompletableFuture<Machine> woken) {}

    /** First the addresses are watched, then the machine is put to sleep: nothing falls in between. */
    private Sleep sleep(Machine machine) {
        CompletableFuture<Snapshot> asleep = new CompletableFuture<>();
        CompletableFuture<Watch> watch = new CompletableFuture<>();
        CompletableFuture<Machine> woken = new CompletableFuture<>();
        watch.complete(wires.watch(
                machines.wire(machine), knock -> woken.completeAsync(() -> wake(asleep.join(), watch.join()))));
        asleep.complete(
                machines.engine().hibernate(machine, Deadline.inSeconds(60)).snapshot());
        return new Sleep(watch.join(), woken);
    }

    private Machine wake(Snapshot snapshot, Watch watch) {
        Machine machine = machines.wake(snapshot);
        watch.deliverTo(machines.wire(machine), Deadline.inSeconds(10));
        return machine;
    }

    private static void send(Inet4Address address, int count) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            for (int i = 0; i < count; i++) {
                socket.send(new DatagramPacket(new byte[4], 4, new InetSocketAddress(address, DISCARD)));
            }
        }
    }

    /** How many datagrams for a port without a listener have come to the machine's kernel. */
    private static int strayDatagrams(Machine machine) {
        List<String> lines =
                WorkerHouse.sh(machine, "grep ^Udp: /proc/net/snmp").lines().toList();
        int column = List.of(lines.get(0).split(" ", -1)).indexOf("NoPorts");
        return Integer.parseInt(List.of(lines.get(1).split(" ", -1)).get(column));
    }
}
