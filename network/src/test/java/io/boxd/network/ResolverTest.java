package io.boxd.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A machine asks for names at 10.0.2.3; a server in another namespace knows the answers. */
@Tag("host")
class ResolverTest {
    private static final byte[] ANSWER = {10, 20, 30, 40};

    private TestingHost host;
    private DatagramSocket datagrams;
    private ServerSocket streams;
    private final AtomicInteger asked = new AtomicInteger();

    @BeforeEach
    void open() throws IOException {
        host = TestingHost.open();
        datagrams = host.inWorld(() -> new DatagramSocket(new InetSocketAddress("0.0.0.0", 53)));
        streams = host.inWorld(() -> new ServerSocket(53));
        Thread.ofVirtual().start(this::serveDatagrams);
        Thread.ofVirtual().start(this::serveStreams);
    }

    @AfterEach
    void close() throws IOException {
        datagrams.close();
        streams.close();
        host.close();
    }

    @Test
    void namesAreResolvedOverUdp() {
        Wire wire = host.open(host.config(0, List.of(host.worldSocket(53)))).take();
        try (TestingMachine machine = TestingMachine.on(wire)) {
            for (int id : new int[] {1, 0x1234, 0xffff}) {
                byte[] answer = ask(machine, query(id, "a.example.org"));
                assertThat(ByteBuffer.wrap(answer).getShort(0)).isEqualTo((short) id);
                assertThat(Arrays.copyOfRange(answer, answer.length - 4, answer.length))
                        .isEqualTo(ANSWER);
            }
        }
        assertThat(asked).hasValue(3);
    }

    @Test
    void aDeadServerIsAnsweredAsFailure() {
        datagrams.close();
        Wire wire = host.open(host.config(0, List.of(host.worldSocket(53)))).take();
        try (TestingMachine machine = TestingMachine.on(wire)) {
            byte[] answer = ask(machine, query(7, "a.example.org"));
            assertThat(answer[3] & 0xf).isEqualTo(DnsMessage.SERVER_FAILURE);
            assertThat(ByteBuffer.wrap(answer).getShort(0)).isEqualTo((short) 7);
        }
    }

    @Test
    void theSecondServerIsAskedWhenTheFirstIsDead() {
        List<InetSocketAddress> servers = List.of(host.worldSocket(54), host.worldSocket(53));
        Wire wire = host.open(host.config(0, servers)).take();
        try (TestingMachine machine = TestingMachine.on(wire)) {
            byte[] answer = ask(machine, query(7, "a.example.org"));
            assertThat(Arrays.copyOfRange(answer, answer.length - 4, answer.length))
                    .isEqualTo(ANSWER);
        }
    }

    @Test
    void nonsenseIsRefusedOrIgnoredAndNothingOfItIsForwarded() {
        Wire wire = host.open(host.config(0, List.of(host.worldSocket(53)))).take();
        try (TestingMachine machine = TestingMachine.on(wire)) {
            byte[] compressed = query(2, "x");
            compressed[12] = (byte) 0xc0;
            assertThat(ask(machine, compressed)[3] & 0xf).isEqualTo(DnsMessage.FORMAT_ERROR);
            byte[] update = query(3, "x");
            update[2] = 0x28;
            assertThat(ask(machine, update)[3] & 0xf).isEqualTo(DnsMessage.NOT_IMPLEMENTED);
            byte[] answer = query(4, "x");
            answer[2] = (byte) 0x80;
            send(machine, answer);
            send(machine, new byte[3]);
            send(machine, new byte[1300]);
            assertThat(ask(machine, query(5, "real.example.org"))[3] & 0xf).isZero();
        }
        assertThat(asked).hasValue(1);
    }

    @Test
    void namesAreResolvedOverTcp() throws Exception {
        Wires wires = host.open(host.config(0, List.of(host.worldSocket(53))));
        try (Resolver resolver = Resolver.open(
                        java.net.InetAddress.getLoopbackAddress(),
                        0,
                        Upstreams.of(List.of(host.worldSocket(53))),
                        address -> true);
                Socket socket = new Socket(java.net.InetAddress.getLoopbackAddress(), resolver.tcpPort())) {
            assertThat(wires).isNotNull();
            socket.setSoTimeout(8000);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            for (int id = 10; id < 13; id++) {
                DnsStream.write(out, query(id, "b.example.org"));
                byte[] answer = DnsStream.read(in, DnsStream.LONGEST);
                assertThat(ByteBuffer.wrap(answer).getShort(0)).isEqualTo((short) id);
                assertThat(Arrays.copyOfRange(answer, answer.length - 4, answer.length))
                        .isEqualTo(ANSWER);
            }
        }
    }

    /** Somebody who is no machine gets no answer, so a source that could be forged would be of no use. */
    @Test
    void othersAreNotAnswered() throws Exception {
        Wires wires = host.open(host.config(0, List.of(host.worldSocket(53))));
        try (DatagramSocket socket = new DatagramSocket()) {
            byte[] query = query(1, "a.example.org");
            socket.setSoTimeout(300);
            socket.send(new DatagramPacket(query, query.length, new InetSocketAddress(wires.hostAddress(), 5053)));
            org.assertj.core.api.Assertions.assertThatThrownBy(
                            () -> socket.receive(new DatagramPacket(new byte[512], 512)))
                    .isInstanceOf(java.net.SocketTimeoutException.class);
        }
        assertThat(asked).hasValue(0);
    }

    private static byte[] ask(TestingMachine machine, byte[] query) {
        send(machine, query);
        byte[] packet = machine.receiveIp(Frames.UDP, Deadline.inSeconds(8)).orElseThrow();
        assertThat(Ipv4.of(ByteBuffer.wrap(packet).getInt(12)).getHostAddress()).isEqualTo(Addresses.RESOLVER);
        return Arrays.copyOfRange(packet, 28, packet.length);
    }

    private static void send(TestingMachine machine, byte[] query) {
        machine.send(Frames.ip(Frames.udp(Addresses.GUEST, Addresses.RESOLVER, 53, query)));
    }

    static byte[] query(int id, String name) {
        ByteBuffer message = ByteBuffer.allocate(512)
                .putShort((short) id)
                .putShort((short) 0x0100)
                .putShort((short) 1)
                .putShort((short) 0)
                .putInt(0);
        for (String label : name.split("\\.", -1)) {
            message.put((byte) label.length()).put(label.getBytes(StandardCharsets.US_ASCII));
        }
        message.put((byte) 0).putShort((short) 1).putShort((short) 1);
        return Arrays.copyOf(message.array(), message.position());
    }

    private void serveDatagrams() {
        byte[] buffer = new byte[2048];
        while (!datagrams.isClosed()) {
            DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
            try {
                datagrams.receive(packet);
                byte[] answer = answer(Arrays.copyOf(packet.getData(), packet.getLength()));
                // A forged one before the right one: under another id.
                byte[] forged = answer.clone();
                forged[0] ^= 0x55;
                forged[forged.length - 1] = 99;
                datagrams.send(new DatagramPacket(forged, forged.length, packet.getSocketAddress()));
                datagrams.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
            } catch (IOException _) {
                // Closed.
            }
        }
    }

    private void serveStreams() {
        while (!streams.isClosed()) {
            try (Socket connection = streams.accept()) {
                byte[] query = DnsStream.read(new DataInputStream(connection.getInputStream()), 2048);
                DnsStream.write(new DataOutputStream(connection.getOutputStream()), answer(query));
            } catch (IOException _) {
                // Closed.
            }
        }
    }

    private byte[] answer(byte[] query) {
        asked.incrementAndGet();
        ByteBuffer answer = ByteBuffer.allocate(query.length + 16).put(query);
        answer.put(2, (byte) 0x81).put(3, (byte) 0x80).putShort(6, (short) 1);
        answer.putShort((short) 0xc00c).putShort((short) 1).putShort((short) 1);
        answer.putInt(60).putShort((short) 4).put(ANSWER);
        return answer.array();
    }
}
