package io.boxd.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Packets for a machine that sleeps: noticed at once, held, and delivered when it is back. */
@Tag("host")
class WatchTest {
    private static final int NOISE = 4;
    private static final byte[] DATA = {'d', 'a', 't', 'a'};

    private TestingHost host;
    private Wires wires;

    @BeforeEach
    void open() {
        host = TestingHost.open();
        wires = host.open(0);
    }

    @AfterEach
    void close() {
        host.close();
    }

    @Test
    void aConnectionToASleepingMachineSucceedsWithTheFirstPacket() throws Exception {
        Wire wire = wires.take();
        BlockingQueue<Knock> knocks = new ArrayBlockingQueue<>(16);
        Watch watch = wires.watch(wire, knocks::add);
        try (Socket socket = new Socket()) {
            CompletableFuture<Boolean> connected = connect(socket, wire, 8000);
            Knock knock = knocks.poll(5, TimeUnit.SECONDS);
            assertThat(knock).isEqualTo(new Knock(wire.address(), wires.hostAddress(), Frames.TCP, 8000));
            assertThat(watch.held()).isEqualTo(1);
            try (TestingMachine machine = TestingMachine.on(wire)) {
                watch.deliverTo(wire, Deadline.inSeconds(5));
                byte[] syn =
                        machine.receiveIp(Frames.TCP, Deadline.inMillis(900)).orElseThrow();
                WireTest.answerSyn(machine, syn);
                assertThat(connected.get(5, TimeUnit.SECONDS)).isTrue();
                assertThat(knocks).isEmpty();
                assertThat(watch.held()).isZero();
            }
        }
    }

    /** The machine comes back on another wire, keeps its address there, and its old wire is gone. */
    @Test
    void aMachineKeepsItsAddressOnAnotherWire() throws Exception {
        Wire before = wires.take();
        BlockingQueue<Knock> knocks = new ArrayBlockingQueue<>(16);
        Watch watch = wires.watch(before, knocks::add);
        wires.giveBack(before);
        try (Socket socket = new Socket();
                Socket second = new Socket()) {
            CompletableFuture<Boolean> connected = connect(socket, before, 8000);
            assertThat(knocks.poll(5, TimeUnit.SECONDS)).isNotNull();
            Wire after = wires.take();
            assertThat(after.address()).isNotEqualTo(before.address());
            try (TestingMachine machine = TestingMachine.on(after)) {
                watch.deliverTo(after, Deadline.inSeconds(5));
                WireTest.answerSyn(
                        machine,
                        machine.receiveIp(Frames.TCP, Deadline.inMillis(900)).orElseThrow());
                assertThat(connected.get(5, TimeUnit.SECONDS)).isTrue();
                // Not only what was held arrives: the host itself knows the way.
                socket.getOutputStream().write(DATA);
                assertThat(receiveData(machine)).isEqualTo(DATA);
                // At the new address, too.
                CompletableFuture<Boolean> again = connect(second, after, 8001);
                byte[] syn;
                do {
                    syn = machine.receiveIp(Frames.TCP, Deadline.inSeconds(5)).orElseThrow();
                } while (syn[33] != 2);
                WireTest.answerSyn(machine, syn);
                assertThat(again.get(5, TimeUnit.SECONDS)).isTrue();
            }
            wires.giveBack(after);
        }
        assertThat(wires.unclaimed()).isEmpty();
        wires.close();
        assertThat(host.traces()).isEmpty();
    }

    @Test
    void noMoreThanTheLimitIsHeldAndTheRestIsCounted() throws Exception {
        Wire wire = wires.take();
        BlockingQueue<Knock> knocks = new ArrayBlockingQueue<>(16);
        Watch watch = wires.watch(wire, knocks::add);
        int more = 10;
        try (DatagramSocket socket = new DatagramSocket()) {
            for (int i = 0; i < Watch.MOST_PACKETS + more; i++) {
                byte[] data = ByteBuffer.allocate(4).putInt(i).array();
                socket.send(new DatagramPacket(data, data.length, new InetSocketAddress(wire.address(), 9)));
                int sent = i + 1;
                TestingHost.await("packet " + sent, () -> watch.held() + watch.lost() >= sent);
            }
            assertThat(watch.held()).isEqualTo(Watch.MOST_PACKETS);
            // Connections of earlier tests may have added a last word or two, to an address used again.
            assertThat(watch.lost()).isBetween((long) more, (long) more + NOISE);
            try (TestingMachine machine = TestingMachine.on(wire)) {
                watch.deliverTo(wire, Deadline.inSeconds(5));
                for (int i = 0; i < Watch.MOST_PACKETS - NOISE; i++) {
                    byte[] packet =
                            machine.receiveIp(Frames.UDP, Deadline.inSeconds(5)).orElseThrow();
                    assertThat(ByteBuffer.wrap(packet).getInt(28)).isEqualTo(i);
                }
            }
        }
        assertThat(knocks).hasSize(1);
    }

    /** The red control: without a watch, what is sent to a machine whose tap nobody has open is lost. */
    @Test
    void withoutAWatchThePacketIsLost() throws Exception {
        Wire wire = wires.take();
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.send(new DatagramPacket(new byte[4], 4, new InetSocketAddress(wire.address(), 9)));
            try (TestingMachine machine = TestingMachine.on(wire)) {
                assertThat(machine.receiveIp(Frames.UDP, Deadline.inMillis(300)))
                        .isEmpty();
            }
        }
    }

    /** Too early: nobody has the tap open, so the packets stay where they are. */
    @Test
    void nothingIsDeliveredToAMachineThatIsNotThere() throws Exception {
        Wire wire = wires.take();
        Watch watch = wires.watch(wire, knock -> {});
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.send(new DatagramPacket(new byte[4], 4, new InetSocketAddress(wire.address(), 9)));
            TestingHost.await("the packet", () -> watch.held() == 1);
            assertThatThrownBy(() -> watch.deliverTo(wire, Deadline.inMillis(50)))
                    .hasMessageContaining("no machine is plugged in");
            assertThat(watch.held()).isEqualTo(1);
            try (TestingMachine machine = TestingMachine.on(wire)) {
                watch.deliverTo(wire, Deadline.inSeconds(5));
                assertThat(machine.receiveIp(Frames.UDP, Deadline.inSeconds(5))).isPresent();
            }
        }
    }

    /** A machine's own packets do not pass for somebody else's while its address is elsewhere. */
    @Test
    void aSleepingMachineSendsNothing() {
        Wire wire = wires.take();
        try (TestingMachine machine = TestingMachine.on(wire)) {
            Watch watch = wires.watch(wire, knock -> {});
            machine.send(Frames.ip(Frames.ping(TestingHost.WORLD)));
            assertThat(machine.receiveIp(Frames.ICMP, Deadline.inMillis(300))).isEmpty();
            assertThat(host.arrived()).isZero();
            watch.deliverTo(wire, Deadline.inSeconds(5));
            machine.send(Frames.ip(Frames.ping(TestingHost.WORLD)));
            assertThat(machine.receiveIp(Frames.ICMP, Deadline.inSeconds(5))).isPresent();
        }
    }

    /** The payload of the next TCP segment that has any. */
    private static byte[] receiveData(TestingMachine machine) {
        Deadline deadline = Deadline.inSeconds(5);
        byte[] data;
        do {
            byte[] packet = machine.receiveIp(Frames.TCP, deadline).orElseThrow();
            int payload = 20 + (packet[32] >> 4 & 0xf) * 4;
            data = Arrays.copyOfRange(
                    packet, payload, Short.toUnsignedInt(ByteBuffer.wrap(packet).getShort(2)));
        } while (data.length == 0);
        return data;
    }

    private static CompletableFuture<Boolean> connect(Socket socket, Wire wire, int port) {
        CompletableFuture<Boolean> connected = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                socket.connect(new InetSocketAddress(wire.address(), port), 8000);
                connected.complete(true);
            } catch (IOException e) {
                connected.completeExceptionally(e);
            }
        });
        return connected;
    }
}
