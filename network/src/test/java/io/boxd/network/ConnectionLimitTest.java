package io.boxd.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How many connections a machine may have at a time, with real ones to a program in the world. */
@Tag("host")
class ConnectionLimitTest {
    private static final int LIMIT = 12;
    private static final int MORE = 5;
    private static final int FIRST_PORT = 41_000;
    private static final int WORLD_PORT = 80;
    private static final int SYN = 0x02;
    private static final int RST = 0x04;
    private static final int ACK = 0x10;

    private TestingHost host;
    private ServerSocket listener;

    @BeforeEach
    void open() {
        host = TestingHost.open();
        listener = host.inWorld(() -> new ServerSocket(WORLD_PORT, 64));
    }

    @AfterEach
    void close() throws IOException {
        listener.close();
        host.close();
    }

    @Test
    void noMoreThanTheLimitAreOpenAtATime() throws Exception {
        Wire wire = limited();
        try (TestingMachine machine = TestingMachine.on(wire)) {
            Map<Integer, Integer> open = connect(machine, 0, LIMIT + MORE, LIMIT);
            assertThat(open).hasSize(LIMIT);
            assertThat(host.arrived())
                    .as("first packets and their acknowledgements")
                    .isEqualTo(2L * LIMIT);
            assertThat(wire.traffic().dropped(Drop.CONNECTIONS)).isEqualTo(MORE);
            assertStillDialled(machine, wire);
            // One that ends makes room for one.
            Map.Entry<Integer, Integer> ended = open.entrySet().iterator().next();
            machine.send(segment(ended.getKey(), 2, ended.getValue(), RST | ACK));
            TestingHost.await(
                    "room for another",
                    () -> connect(machine, LIMIT + MORE, 1, 1).size() == 1);
            long dropped = wire.traffic().dropped(Drop.CONNECTIONS);
            machine.send(segment(FIRST_PORT + LIMIT + MORE + 1, 1, 0, SYN));
            TestingHost.await("the limit again", () -> wire.traffic().dropped(Drop.CONNECTIONS) == dropped + 1);
        }
    }

    /** The red control. */
    @Test
    void withoutTheRuleThereIsNoLimit() {
        Wire wire = limited();
        HostileFramesTest.reload(host, wire, HostileFramesTest.rules(host, wire).without(Drop.CONNECTIONS.rule()));
        try (TestingMachine machine = TestingMachine.on(wire)) {
            assertThat(connect(machine, 0, LIMIT + MORE, LIMIT + MORE)).hasSize(LIMIT + MORE);
        }
    }

    /** The limit that machines have, unless told otherwise; datagrams to one place from one port are a connection. */
    @Test
    void theDefaultIsKept() {
        Wire wire = host.open(0).take();
        int sent = WireConfig.DEFAULT_CONNECTIONS + 100;
        try (TestingMachine machine = TestingMachine.on(wire)) {
            for (int i = 0; i < sent; i++) {
                machine.send(Frames.ip(Frames.udp(Addresses.GUEST, 20_000 + i, TestingHost.WORLD, 9, new byte[4])));
            }
            TestingHost.await(
                    "all to be decided about",
                    () -> host.arrived() + wire.traffic().dropped(Drop.CONNECTIONS) == sent);
            assertThat(host.arrived()).isEqualTo(WireConfig.DEFAULT_CONNECTIONS);
        }
    }

    @Test
    void aLimitOfNoneIsRefused() {
        org.assertj.core.api.Assertions.assertThatThrownBy(
                        () -> host.config(0, List.of()).withConnections(0))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("0 connections");
    }

    private Wire limited() {
        return host.open(host.config(0, List.of()).withConnections(LIMIT)).take();
    }

    /** Opens connections from so many ports; returns those that the world has answered, and what it said to each. */
    private static Map<Integer, Integer> connect(TestingMachine machine, int from, int count, int expected) {
        for (int i = 0; i < count; i++) {
            machine.send(segment(FIRST_PORT + from + i, 1, 0, SYN));
        }
        Map<Integer, Integer> open = new TreeMap<>();
        // A few more looks than answers are expected: none too many may come.
        Deadline patience = Deadline.inSeconds(5);
        while (true) {
            Optional<byte[]> answer =
                    machine.receiveIp(Frames.TCP, open.size() < expected ? patience : Deadline.inMillis(300));
            if (answer.isEmpty()) {
                return open;
            }
            ByteBuffer in = ByteBuffer.wrap(answer.get());
            int port = Short.toUnsignedInt(in.getShort(22));
            if ((in.get(33) & 0x3f) == (SYN | ACK) && port >= FIRST_PORT + from) {
                int next = in.getInt(24) + 1;
                machine.send(segment(port, 2, next, ACK));
                open.put(port, next);
            }
        }
    }

    private static byte[] segment(int port, int sequence, int acknowledged, int flags) {
        return Frames.ip(
                Frames.tcp(Addresses.GUEST, port, TestingHost.WORLD, WORLD_PORT, sequence, acknowledged, flags));
    }

    /** Who is at the limit can still be reached by the host. */
    private static void assertStillDialled(TestingMachine machine, Wire wire) throws Exception {
        try (Socket socket = new Socket()) {
            Thread dialler = Thread.ofVirtual().start(() -> {
                try {
                    socket.connect(new InetSocketAddress(wire.address(), 8000), 8000);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            byte[] syn;
            do {
                syn = machine.receiveIp(Frames.TCP, Deadline.inSeconds(5)).orElseThrow();
            } while (syn[33] != SYN);
            WireTest.answerSyn(machine, syn);
            dialler.join(5000);
            assertThat(socket.isConnected()).isTrue();
        }
    }
}
