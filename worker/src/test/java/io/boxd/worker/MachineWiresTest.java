package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.boxd.common.Deadline;
import io.boxd.guest.CommandOutput;
import io.boxd.network.Drop;
import io.boxd.network.TestingHost;
import io.boxd.network.Watch;
import io.boxd.network.Wire;
import io.boxd.network.Wires;
import io.boxd.vmm.Machine;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Real machines, each on its own wire: into the world, from the host, and never to each other. */
@Tag("machine")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MachineWiresTest {
    private TestingHost host;
    private TestingMachines machines;
    private HttpServer world;
    private DatagramSocket names;
    private ServerSocket namesOverTcp;

    /** One world and one engine for all tests: opening them takes longer than most tests do. */
    @BeforeAll
    void open() throws IOException {
        host = TestingHost.open();
        names = host.inWorld(() -> new DatagramSocket(new InetSocketAddress("0.0.0.0", 53)));
        namesOverTcp = host.inWorld(() -> new ServerSocket(53));
        Wires wires = host.open(host.config(1, List.of(host.worldSocket(53))));
        machines = TestingMachines.open(host, wires);
        world = host.inWorld(() -> HttpServer.create(new InetSocketAddress("0.0.0.0", 80), 16));
        byte[] page = "the world\n".getBytes(StandardCharsets.UTF_8);
        world.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, page.length);
            try (var body = exchange.getResponseBody()) {
                body.write(page);
            }
        });
        world.start();
    }

    @AfterEach
    void end() {
        machines.endAll();
    }

    @AfterAll
    void close() {
        world.stop(0);
        names.close();
        closeQuietly(namesOverTcp);
        try {
            machines.close();
        } finally {
            host.close();
        }
    }

    @Test
    void twoMachinesAndAForkReachTheWorldAndAreReachedButNeverEachOther() throws Exception {
        Machine one = machines.start(machines.tiny());
        Machine two = machines.start(machines.tiny());
        List.of(one, two).forEach(NamePage::serve);
        Machine fork = machines.fork(one);
        NamePage.rename(fork);
        List<Machine> all = List.of(one, two, fork);
        for (Machine machine : all) {
            assertThat(fetch(machine)).endsWith("the world");
            assertThat(get(machines.wire(machine))).isEqualTo(WorkerHouse.sh(machine, "hostname"));
        }
        List<Wire> wires = all.stream().map(machines::wire).toList();
        assertThat(wires.stream().map(Wire::address)).doesNotHaveDuplicates();
        List<Long> before = quietCounts(wires);
        List<Long> refused = wires.stream()
                .map(wire -> wire.traffic().dropped(Drop.FORBIDDEN))
                .toList();
        assertThat(all.parallelStream().map(machine -> othersReached(machine, wires)))
                .allMatch(String::isEmpty);
        assertThat(receivedBy(wires)).isEqualTo(before);
        for (int i = 0; i < all.size(); i++) {
            assertThat(wires.get(i).traffic().dropped(Drop.FORBIDDEN)).isGreaterThanOrEqualTo(refused.get(i) + 2);
        }
    }

    /** Which of the other machines' pages a machine has reached; it tries all of them at a time. */
    private String othersReached(Machine from, List<Wire> wires) {
        String others = wires.stream()
                .filter(wire -> wire != machines.wire(from))
                .map(wire -> wire.address().getHostAddress())
                .collect(Collectors.joining(" "));
        return WorkerHouse.sh(
                from,
                "for other in " + others + "; do nc -w 1 $other " + NamePage.PORT
                        + " </dev/null >/dev/null 2>&1 && echo $other & done; wait");
    }

    /** The distribution's image configures its card by itself: no DHCP, no waiting. */
    @Test
    void aDistributionIsOnTheNetworkWithoutAsking() {
        Machine machine = machines.start(machines.debian());
        assertThat(WorkerHouse.sh(machine, "curl -s --max-time 30 http://" + TestingHost.WORLD + "/"))
                .isEqualTo("the world");
        assertThat(machines.wire(machine).traffic().dropped(Drop.DHCP)).isZero();
        assertThat(WorkerHouse.sh(machine, "ip -br address show eth0")).contains("10.0.2.15/24");
    }

    /** A real machine's own resolver asks, over both protocols; the world's answer is "refused". */
    @Test
    void aMachineAsksForNames() throws Exception {
        Machine machine = machines.start(machines.tiny());
        CompletableFuture<Boolean> asked = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> refuseUntil("wanted", asked));
        CommandOutput output = TestingMachines.run(machine, "nslookup -type=a wanted.example.org 2>&1");
        assertThat(output.stdoutText()).contains("10.0.2.3").containsIgnoringCase("REFUSED");
        assertThat(asked.get(10, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Integer> overTcp = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> acceptOne(overTcp));
        String query = "printf '\\000\\035\\000\\007\\001\\000\\000\\001\\000\\000\\000\\000\\000\\000"
                + "\\007example\\003org\\000\\000\\001\\000\\001'";
        String answer = WorkerHouse.sh(machine, query + " | nc -w 10 10.0.2.3 53 | od -An -tx1 | head -1");
        assertThat(answer).startsWith("00 1d 00 07 81 85");
        assertThat(overTcp.get(10, TimeUnit.SECONDS)).isEqualTo(29);
    }

    /** Refuses every question until the one for this name has come; a machine may have had others before. */
    private void refuseUntil(String name, CompletableFuture<Boolean> asked) {
        try {
            while (!asked.isDone()) {
                DatagramPacket packet = new DatagramPacket(new byte[512], 512);
                names.receive(packet);
                byte[] message = Arrays.copyOf(packet.getData(), packet.getLength());
                boolean wanted = new String(message, StandardCharsets.ISO_8859_1).contains(name);
                names.send(new DatagramPacket(refused(message), message.length, packet.getSocketAddress()));
                if (wanted) {
                    asked.complete(true);
                }
            }
        } catch (IOException e) {
            asked.completeExceptionally(e);
        }
    }

    private void acceptOne(CompletableFuture<Integer> length) {
        try (Socket connection = namesOverTcp.accept()) {
            DataInputStream in = new DataInputStream(connection.getInputStream());
            byte[] message = in.readNBytes(in.readUnsignedShort());
            length.complete(message.length);
            DataOutputStream out = new DataOutputStream(connection.getOutputStream());
            out.writeShort(message.length);
            out.write(refused(message));
        } catch (IOException e) {
            length.completeExceptionally(e);
        }
    }

    private static byte[] refused(byte[] query) {
        query[2] = (byte) 0x81;
        query[3] = (byte) 0x85;
        return query;
    }

    private static void closeQuietly(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What QEMU has of the network is the descriptor of its tap. */
    @Test
    void theProcessOfAMachineSeesNoInterface() throws IOException {
        Machine machine = machines.start(machines.tiny());
        String interfaces = Files.readString(Path.of("/proc/" + machine.pid() + "/net/dev"));
        assertThat(interfaces.lines().skip(2).map(line -> line.strip().split(":", 2)[0]))
                .containsExactly("lo");
        assertThat(Files.readSymbolicLink(Path.of("/proc/" + machine.pid() + "/ns/net")))
                .isNotEqualTo(Files.readSymbolicLink(Path.of("/proc/self/ns/net")));
    }

    @Test
    void wiresGoWithTheirMachines() {
        Machine machine = machines.start(machines.tiny());
        Wire wire = machines.wire(machine);
        assertThat(Files.exists(wire.namespace())).isTrue();
        machine.close();
        assertThat(Files.exists(wire.namespace())).isFalse();
    }

    /** Whoever connects while a machine stands still gets his answer, without sending anything twice. */
    @Test
    void aConnectionWakesAMachineInStandby() throws Exception {
        Machine machine = machines.start(machines.tiny());
        NamePage.serve(machine);
        Wire wire = machines.wire(machine);
        assertThat(get(wire)).isEqualTo("test");
        machine.pause(Deadline.inSeconds(5));
        CompletableFuture<Watch> watch = new CompletableFuture<>();
        watch.complete(machines.wires().watch(wire, knock -> {
            machine.resume(Deadline.inSeconds(5));
            watch.join().deliverTo(wire, Deadline.inSeconds(5));
        }));
        assertThat(get(wire)).isEqualTo("test");
        assertThat(machine.state()).isEqualTo(Machine.State.RUNNING);
        assertThat(get(wire)).isEqualTo("test");
    }

    /** What wires have received, once connections of before have said their last word. */
    private static List<Long> quietCounts(List<Wire> wires) {
        AtomicReference<List<Long>> last = new AtomicReference<>(List.of());
        TestingHost.await("quiet wires", () -> {
            LockSupport.parkNanos(500_000_000);
            List<Long> now = receivedBy(wires);
            return last.getAndSet(now).equals(now);
        });
        return last.get();
    }

    private static List<Long> receivedBy(List<Wire> wires) {
        return wires.stream().map(wire -> wire.traffic().receivedPackets()).toList();
    }

    private static String fetch(Machine machine) {
        String request = "printf 'GET / HTTP/1.0\\r\\n\\r\\n'";
        return WorkerHouse.sh(machine, request + " | nc -w 20 " + TestingHost.WORLD + " 80");
    }

    private static String get(Wire wire) throws IOException {
        return NamePage.get(wire.address());
    }
}
