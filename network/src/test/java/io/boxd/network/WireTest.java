package io.boxd.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What passes over a wire, seen with a stand-in at the machine's end. */
@Tag("host")
class WireTest {
    private static final int SYN = 0x02;
    private static final int SYN_ACK = 0x12;

    private TestingHost host;

    @BeforeEach
    void open() {
        host = TestingHost.open();
    }

    @AfterEach
    void close() {
        host.close();
    }

    @Test
    void aMachineReachesTheWorldAndIsAnswered() {
        Wire wire = host.open(0).take();
        try (TestingMachine machine = TestingMachine.on(wire)) {
            machine.send(Frames.ip(Frames.ping(TestingHost.WORLD)));
            Optional<byte[]> answer = machine.receiveIp(Frames.ICMP, Deadline.inSeconds(5));
            assertThat(answer).isPresent();
            assertThat(host.arrived()).isEqualTo(1);
            assertThat(wire.traffic().sentPackets()).isEqualTo(1);
            assertThat(wire.traffic().receivedPackets()).isEqualTo(1);
            assertThat(wire.traffic().drops().values()).allMatch(count -> count == 0);
        }
    }

    /** Otherwise connections would hang as soon as they carry more than a little. */
    @Test
    void aNarrowerLinkOnTheWayIsToldToTheMachine() {
        int narrow = 1300;
        Wire wire = host.open(0).take();
        TestingHost.run("ip", "link", "set", host.uplink(), "mtu", Integer.toString(narrow));
        try (TestingMachine machine = TestingMachine.on(wire)) {
            int dontFragment = 0x4000;
            byte[] udp = Frames.udp(Addresses.GUEST, TestingHost.WORLD, 9, new byte[1450]);
            byte[] segment = Arrays.copyOfRange(udp, 20, udp.length);
            machine.send(Frames.ip(
                    Frames.packet(Addresses.GUEST, TestingHost.WORLD, Frames.UDP, dontFragment, new byte[0], segment)));
            byte[] told = machine.receiveIp(Frames.ICMP, Deadline.inSeconds(5)).orElseThrow();
            assertThat(told[20]).as("unreachable").isEqualTo((byte) 3);
            assertThat(told[21]).as("would have to be fragmented").isEqualTo((byte) 4);
            assertThat(ByteBuffer.wrap(told).getShort(26)).isEqualTo((short) narrow);
        }
    }

    /** At its own address, at any port; and the machine sees its gateway calling. */
    @Test
    void theHostDialsAMachine() throws Exception {
        Wire wire = host.open(0).take();
        try (TestingMachine machine = TestingMachine.on(wire);
                Socket socket = new Socket()) {
            Thread dialler = dial(socket, wire, 8000);
            byte[] syn = machine.receiveIp(Frames.TCP, Deadline.inSeconds(5)).orElseThrow();
            assertThat(Ipv4.of(ByteBuffer.wrap(syn).getInt(12)).getHostAddress())
                    .isEqualTo(Addresses.GATEWAY);
            answerSyn(machine, syn);
            dialler.join(5000);
            assertThat(socket.isConnected()).isTrue();
        }
    }

    private static Thread dial(Socket socket, Wire wire, int port) {
        return Thread.ofVirtual().start(() -> {
            try {
                socket.connect(new InetSocketAddress(wire.address(), port), 8000);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** Does what a machine does that listens on the port. */
    static void answerSyn(TestingMachine machine, byte[] syn) {
        ByteBuffer in = ByteBuffer.wrap(syn);
        assertThat(in.get(33) & 0x3f).isEqualTo(SYN);
        machine.send(Frames.ip(Frames.tcp(
                Addresses.GUEST,
                Short.toUnsignedInt(in.getShort(22)),
                Ipv4.of(in.getInt(12)).getHostAddress(),
                Short.toUnsignedInt(in.getShort(20)),
                1000,
                in.getInt(24) + 1,
                SYN_ACK)));
    }
}
