package io.boxd.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Where no machine may go: everything that leaves its wire, whatever its destination, is routed to a
 * sink, and there nothing arrives.
 */
@Tag("host")
class ForbiddenDestinationsTest {
    private static final int PROBES_OF_A_RANGE = TestingHost.LONG ? 12 : 6;

    /** Of the probes, those to loopback, multicast or the gateway go nowhere even without a rule. */
    private static final int FEWEST_AT_SINK = 200;

    private TestingHost host;
    private Wires wires;
    private Wire wire;
    private TestingMachine machine;

    @BeforeEach
    void open() {
        host = TestingHost.open();
        wires = host.open(0);
        wire = wires.take();
        machine = TestingMachine.on(wire);
    }

    @AfterEach
    void close() {
        machine.close();
        host.close();
    }

    @Test
    void nothingArrivesFromAnyForbiddenRange() {
        List<byte[]> probes = probes();
        probes.forEach(machine::send);
        assertAlive();
        assertThat(host.arrived()).as("but for the last ping").isEqualTo(1);
        Traffic traffic = wire.traffic();
        assertThat(traffic.sentPackets()).isEqualTo(1);
        long dropped = traffic.dropped(Drop.FORBIDDEN) + traffic.dropped(Drop.GATEWAY) + traffic.dropped(Drop.INVALID);
        assertThat(dropped).isLessThanOrEqualTo(probes.size()).isGreaterThan(probes.size() / 2);
    }

    /** The second wall stands alone, too. */
    @Test
    void withoutTheRuleOfTheWireTheHostStopsThem() {
        HostileFramesTest.reload(host, wire, HostileFramesTest.rules(host, wire).without(Drop.FORBIDDEN.rule()));
        probes().forEach(machine::send);
        assertAlive();
        assertThat(host.arrived()).as("but for the last ping").isEqualTo(1);
        assertThat(wire.traffic().sentPackets()).as("that have left the wire").isGreaterThan(FEWEST_AT_SINK);
    }

    /** The red control: with both walls down the same probes arrive, so the sink would have seen them. */
    @Test
    void withoutTheRulesTheyArrive() {
        openTheWire();
        List<byte[]> probes = probes();
        probes.forEach(machine::send);
        TestingHost.await("probes in the world", () -> host.arrived() >= FEWEST_AT_SINK);
        assertThat(host.arrived()).isLessThanOrEqualTo(probes.size());
    }

    /** Takes away the rules about destinations, on the wire and on the host. */
    private void openTheWire() {
        HostileFramesTest.reload(host, wire, HostileFramesTest.rules(host, wire).without(Drop.FORBIDDEN.rule()));
        host.reload(rules -> rules.without("forbidden"));
    }

    private List<byte[]> probes() {
        List<byte[]> probes = new ArrayList<>();
        destinations().forEach(destination -> {
            probes.add(Frames.ip(Frames.udp(destination, 53)));
            probes.add(Frames.ip(Frames.udp(destination, 9)));
            probes.add(Frames.ip(Frames.tcp(Addresses.GUEST, 40001, destination, 80, 1, 0, 2)));
            probes.add(Frames.ip(Frames.tcp(Addresses.GUEST, 40002, destination, 443, 1, 1, 0x10)));
            probes.add(Frames.ip(Frames.ping(destination)));
        });
        return probes;
    }

    /** The host's own addresses are not reached, though a program listens on all of them. */
    @Test
    void theHostIsNotReached() throws Exception {
        try (DatagramSocket listener = new DatagramSocket(new InetSocketAddress("0.0.0.0", 0))) {
            listener.setSoTimeout(300);
            List<String> own = hostAddresses();
            assertThat(own).isNotEmpty();
            for (String address : own) {
                machine.send(Frames.ip(Frames.udp(address, listener.getLocalPort())));
                machine.send(Frames.ip(Frames.udp(address, 22)));
            }
            assertAlive();
            org.assertj.core.api.Assertions.assertThatThrownBy(
                            () -> listener.receive(new java.net.DatagramPacket(new byte[64], 64)))
                    .isInstanceOf(java.net.SocketTimeoutException.class);
        }
    }

    /** The red control: without the two walls, a program on the host hears the machine. */
    @Test
    void withoutTheRulesTheHostIsReached() throws Exception {
        HostileFramesTest.reload(host, wire, HostileFramesTest.rules(host, wire).without(Drop.FORBIDDEN.rule()));
        host.reload(rules -> rules.without("forbidden").without("host"));
        try (DatagramSocket listener = new DatagramSocket(new InetSocketAddress("0.0.0.0", 0))) {
            listener.setSoTimeout(5000);
            machine.send(Frames.ip(Frames.udp(wires.hostAddress().getHostAddress(), listener.getLocalPort())));
            listener.receive(new java.net.DatagramPacket(new byte[64], 64));
        }
    }

    /** What is sent last has arrived when everything before it has been decided about. */
    private void assertAlive() {
        machine.send(Frames.ip(Frames.ping(TestingHost.WORLD)));
        assertThat(machine.receiveIp(Frames.ICMP, Deadline.inSeconds(5))).isPresent();
    }

    private List<String> destinations() {
        Random random = new Random(7);
        List<String> all = new ArrayList<>(List.of(
                "169.254.169.254", "255.255.255.255", "127.0.0.1", "0.0.0.0", "10.0.2.2", "10.0.2.4", "10.0.2.255"));
        all.add(wires.hostAddress().getHostAddress());
        for (Ipv4Range range : Forbidden.RANGES) {
            int size = 32 - range.prefixLength();
            for (int i = 0; i < PROBES_OF_A_RANGE; i++) {
                int inside = size == 32 ? random.nextInt() : random.nextInt(1 << Math.min(size, 30));
                all.add(Ipv4.of(range.first() + inside).getHostAddress());
            }
        }
        return all;
    }

    private static List<String> hostAddresses() throws SocketException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(Inet4Address.class::isInstance)
                .map(InetAddress::getHostAddress)
                .toList();
    }
}
