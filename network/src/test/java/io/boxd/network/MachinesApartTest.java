package io.boxd.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Machines do not reach each other, and nobody but the host reaches them. */
@Tag("host")
class MachinesApartTest {
    private TestingHost host;
    private TestingHost other;
    private Wires wires;
    private Wire wire;
    private Wire neighbour;
    /** Of another instance; the host knows the way to it. */
    private Wire foreign;

    private TestingMachine machine;
    private TestingMachine near;
    private TestingMachine far;

    @BeforeEach
    void open() {
        host = TestingHost.open();
        other = TestingHost.open();
        wires = host.open(0);
        Wires others = other.open(0);
        host.knowTheWayTo(others.range());
        other.knowTheWayTo(wires.range());
        wire = wires.take();
        neighbour = wires.take();
        foreign = others.take();
        machine = TestingMachine.on(wire);
        near = TestingMachine.on(neighbour);
        far = TestingMachine.on(foreign);
    }

    @AfterEach
    void close() {
        List.of(machine, near, far).forEach(TestingMachine::close);
        other.close();
        host.close();
    }

    @Test
    void otherMachinesAreNotReached() {
        List.of(neighbour, foreign).forEach(this::probe);
        machine.send(Frames.ip(Frames.ping(TestingHost.WORLD)));
        assertThat(machine.receiveIp(Frames.ICMP, Deadline.inSeconds(5))).isPresent();
        assertThat(near.receive(Deadline.inMillis(200))).isEmpty();
        assertThat(far.receive(Deadline.inMillis(200))).isEmpty();
        assertThat(host.arrived()).as("but for the ping").isEqualTo(1);
        assertThat(neighbour.traffic().receivedPackets()).isZero();
        assertThat(foreign.traffic().receivedPackets()).isZero();
    }

    /** Each wall holds alone: without those of the sender, the host and the other wire stop it still. */
    @Test
    void oneWallIsEnough() {
        HostileFramesTest.reload(host, wire, HostileFramesTest.rules(host, wire).without(Drop.FORBIDDEN.rule()));
        List.of(neighbour, foreign).forEach(this::probe);
        TestingHost.await("probes on the host", () -> wire.traffic().sentPackets() == 6);
        assertThat(neighbour.traffic().receivedPackets()).isZero();
        assertThat(foreign.traffic().receivedPackets()).isZero();
        openTheHost();
        List.of(neighbour, foreign).forEach(this::probe);
        TestingHost.await(
                "probes on both wires",
                () -> neighbour.traffic().receivedPackets() == 3
                        && foreign.traffic().receivedPackets() == 3);
        assertThat(near.receive(Deadline.inMillis(200))).isEmpty();
        assertThat(far.receive(Deadline.inMillis(200))).isEmpty();
    }

    /** The red control: without the walls of sender, host and receiver, the probes are at the other machine's tap. */
    @Test
    void withoutTheRulesOtherMachinesAreReached() {
        HostileFramesTest.reload(host, wire, HostileFramesTest.rules(host, wire).without(Drop.FORBIDDEN.rule()));
        openTheHost();
        believe(host, neighbour);
        believe(other, foreign);
        List.of(neighbour, foreign).forEach(this::probe);
        assertThat(near.receiveIp(Frames.UDP, Deadline.inSeconds(5))).isPresent();
        assertThat(far.receiveIp(Frames.UDP, Deadline.inSeconds(5))).isPresent();
    }

    /** From outside nobody reaches a machine by its address, though the host would know the way. */
    @Test
    void theWorldDoesNotReachAMachine() throws Exception {
        host.tellTheWorld(wires.range());
        callFromTheWorld();
        assertThat(machine.receive(Deadline.inMillis(300))).isEmpty();
        assertThat(wire.traffic().receivedPackets()).isZero();
        // The red control.
        host.reload(rules -> rules.without("uninvited"));
        callFromTheWorld();
        TestingHost.await("a call on the wire", () -> wire.traffic().receivedPackets() > 0);
    }

    private void callFromTheWorld() throws Exception {
        try (DatagramSocket socket = host.inWorld(() -> new DatagramSocket())) {
            socket.send(new DatagramPacket(new byte[4], 4, new InetSocketAddress(wire.address(), 9)));
        }
    }

    private void probe(Wire target) {
        String address = target.address().getHostAddress();
        machine.send(Frames.ip(Frames.udp(address, 9)));
        machine.send(Frames.ip(Frames.ping(address)));
        machine.send(Frames.ip(Frames.tcp(Addresses.GUEST, 40003, address, 80, 1, 0, 2)));
    }

    /** Takes away what the host has against packets from wire to wire. */
    private void openTheHost() {
        host.reload(rules -> rules.without("forbidden").without("between").without("uninvited"));
        other.reload(rules -> rules.without("forbidden").without("between").without("uninvited"));
    }

    /** Has a wire take the sender of the probes for the host. */
    private void believe(TestingHost owner, Wire target) {
        Inet4Address sender = wire.address();
        HostileFramesTest.reload(
                owner,
                target,
                NamespaceRules.of(
                        owner.names(),
                        target.address(),
                        sender,
                        WireConfig.DEFAULT_RESOLVER_PORT,
                        wires.range(),
                        WireConfig.DEFAULT_CONNECTIONS));
    }
}
