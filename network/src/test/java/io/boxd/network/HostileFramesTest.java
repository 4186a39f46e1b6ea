package io.boxd.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A machine that lies about itself: nothing gets through, and each kind of lie is counted exactly. */
@Tag("host")
class HostileFramesTest {
    private static final int EACH = TestingHost.LONG ? 100 : 10;

    private TestingHost host;
    private Wire wire;
    private TestingMachine machine;

    @BeforeEach
    void open() {
        host = TestingHost.open();
        wire = host.open(0).take();
        machine = TestingMachine.on(wire);
    }

    @AfterEach
    void close() {
        machine.close();
        host.close();
    }

    /** Frames of each kind; without the rule for its kind, every first one would be let through. */
    private static Map<Drop, List<byte[]>> lies() {
        byte[] honest = Frames.udp(TestingHost.WORLD, 9);
        byte[] segment = new byte[] {1, 2, 3, 4, 5, 6, 7, 8};
        String world = TestingHost.WORLD;
        String guest = Addresses.GUEST;
        Map<Drop, List<byte[]>> frames = new EnumMap<>(Drop.class);
        frames.put(
                Drop.VLAN,
                List.of(
                        // What the kernel would take for untagged, behind rules that look for IPv4 right after the
                        // head.
                        Frames.vlan(0x8100, 0, honest),
                        Frames.vlan(0x88a8, 0, honest),
                        Frames.vlan(0x8100, 7, honest),
                        Frames.vlan(0x88a8, 7, honest),
                        Frames.vlan(0x9100, 7, honest)));
        frames.put(
                Drop.SPOOFED_MAC,
                List.of(
                        Frames.ethernet(Frames.OTHER_MAC, Frames.GATEWAY_MAC, 0x0800, honest),
                        Frames.ethernet(Frames.GATEWAY_MAC, Frames.GATEWAY_MAC, 0x0800, honest)));
        byte[] ipv6 = new byte[40];
        ipv6[0] = 0x60;
        ipv6[6] = 59;
        byte[] advertisement = ipv6.clone();
        advertisement[6] = 58;
        frames.put(
                Drop.IPV6,
                List.of(
                        Frames.ethernet(Frames.GUEST_MAC, Frames.GATEWAY_MAC, 0x86dd, ipv6),
                        Frames.ethernet(Frames.GUEST_MAC, Frames.EVERYBODY, 0x86dd, advertisement)));
        frames.put(
                Drop.ARP,
                List.of(
                        Frames.arp(1, Frames.GUEST_MAC, "10.0.2.99", Addresses.GATEWAY),
                        Frames.arp(1, Frames.OTHER_MAC, guest, Addresses.GATEWAY),
                        Frames.arp(2, Frames.GUEST_MAC, guest, Addresses.GATEWAY),
                        Frames.arp(1, Frames.GUEST_MAC, Addresses.GATEWAY, Addresses.GATEWAY),
                        Frames.arp(1, Frames.GUEST_MAC, guest, guest),
                        Frames.arp(1, Frames.GUEST_MAC, guest, "100.124.0.1")));
        frames.put(
                Drop.ETHERTYPE,
                List.of(
                        Frames.ethernet(Frames.GUEST_MAC, Frames.GATEWAY_MAC, 0x88cc, honest),
                        Frames.ethernet(Frames.GUEST_MAC, Frames.GATEWAY_MAC, 0x8863, honest)));
        frames.put(
                Drop.DHCP,
                List.of(
                        Frames.ip(Frames.udp("0.0.0.0", "255.255.255.255", 67, segment)),
                        Frames.ip(Frames.udp(guest, world, 67, segment)),
                        Frames.ip(Frames.udp(guest, "255.255.255.255", 68, segment))));
        frames.put(
                Drop.SPOOFED_IP,
                List.of(
                        Frames.ip(Frames.udp("10.0.2.16", world, 9, segment)),
                        Frames.ip(Frames.udp("10.0.2.2", world, 9, segment)),
                        Frames.ip(Frames.udp("100.124.0.3", world, 9, segment)),
                        Frames.ip(Frames.udp("127.0.0.1", world, 9, segment)),
                        Frames.ip(Frames.udp("8.8.8.8", world, 9, segment))));
        byte[] nothing = {1, 1, 1, 1};
        byte[] sourceRoute = {(byte) 0x83, 7, 4, 8, 8, 8, 8, 0};
        byte[] udp = java.util.Arrays.copyOfRange(honest, 20, honest.length);
        frames.put(
                Drop.IP_OPTIONS,
                List.of(
                        Frames.ip(Frames.packet(guest, world, Frames.UDP, 0, nothing, udp)),
                        Frames.ip(Frames.packet(guest, world, Frames.UDP, 0, sourceRoute, udp))));
        frames.put(
                Drop.FRAGMENT,
                List.of(
                        Frames.ip(Frames.packet(guest, world, Frames.UDP, 0x2000, new byte[0], udp)),
                        Frames.ip(Frames.packet(guest, world, Frames.UDP, 0x0001, new byte[0], udp)),
                        Frames.ip(Frames.packet(guest, world, Frames.UDP, 0x2001, new byte[0], udp))));
        frames.put(
                Drop.PROTOCOL,
                Stream.of(2, 4, 41, 47, 50, 51, 132)
                        .map(protocol -> Frames.ip(Frames.packet(guest, world, protocol, 0, new byte[0], segment)))
                        .toList());
        return frames;
    }

    @Test
    void everyLieIsDroppedAndCounted() {
        Map<Drop, Long> sent = new EnumMap<>(Drop.class);
        lies().forEach((kind, frames) -> {
            for (int i = 0; i < EACH; i++) {
                frames.forEach(machine::send);
            }
            sent.put(kind, (long) EACH * frames.size());
        });
        assertAlive();
        Map<Drop, Long> counted = wire.traffic().drops();
        sent.forEach((kind, count) -> assertThat(counted).as("drops").containsEntry(kind, count));
        assertThat(host.arrived()).as("packets in the world, but for the ping").isEqualTo(1);
        assertThat(wire.traffic().sentPackets()).isEqualTo(1);
    }

    /** The red controls: without the rule of its kind, a lie gets further than it may. */
    @ParameterizedTest
    @EnumSource(names = {"SPOOFED_MAC", "SPOOFED_IP", "FRAGMENT", "IP_OPTIONS", "DHCP", "PROTOCOL"})
    void withoutItsRuleALieArrives(Drop kind) {
        reload(host, wire, rules(wire).without(kind.rule()));
        if (kind == Drop.FRAGMENT) {
            // The kernel puts fragments together before it forwards them: both halves are needed.
            byte[] whole = Frames.udp(Addresses.GUEST, TestingHost.WORLD, 9, new byte[24]);
            machine.send(half(whole, 20, 0x2000));
            machine.send(half(whole, 36, 0x0002));
        } else {
            machine.send(lies().getOrDefault(kind, List.of()).get(kind == Drop.DHCP ? 1 : 0));
        }
        TestingHost.await(kind + " in the world", () -> host.arrived() > 0);
        assertThat(wire.traffic().dropped(kind)).isZero();
    }

    private static byte[] half(byte[] whole, int from, int fragment) {
        byte[] part = java.util.Arrays.copyOfRange(whole, from, from + 16);
        return Frames.ip(Frames.packet(Addresses.GUEST, TestingHost.WORLD, Frames.UDP, fragment, new byte[0], part));
    }

    /** A tag that names no network, so the kernel forwards what is behind it. */
    @ParameterizedTest
    @ValueSource(ints = {0x8100, 0x88a8})
    void withoutItsRulesATaggedPacketArrives(int type) {
        byte[] tagged = Frames.vlan(type, 0, Frames.udp(TestingHost.WORLD, 9));
        reload(host, wire, rules(wire).without(Drop.VLAN.rule()));
        machine.send(tagged);
        assertAlive();
        assertThat(wire.traffic().dropped(Drop.ETHERTYPE)).as("the second wall").isEqualTo(1);
        assertThat(host.arrived()).as("but for the ping").isEqualTo(1);
        reload(host, wire, rules(wire).without(Drop.VLAN.rule()).without(Drop.ETHERTYPE.rule()));
        machine.send(tagged);
        TestingHost.await("a tagged packet in the world", () -> host.arrived() == 2);
    }

    /** Likewise, for what is not forwarded anyway: a sink stands behind the rules, before the kernel itself. */
    @ParameterizedTest
    @EnumSource(names = {"VLAN", "IPV6", "ETHERTYPE"})
    void withoutItsRuleALieReachesTheKernel(Drop kind) {
        TestingHost.sink(wire.namespace(), wire.tap(), "");
        List<byte[]> frames = lies().getOrDefault(kind, List.of());
        assertThat(frames).isNotEmpty();
        frames.forEach(machine::send);
        assertAlive();
        assertThat(TestingHost.seen(wire.namespace())).as("but for the ping").isEqualTo(1);
        assertThat(wire.traffic().dropped(kind)).isEqualTo(frames.size());
        Ruleset weakened = rules(wire).without(Drop.ETHERTYPE.rule());
        reload(host, wire, kind == Drop.ETHERTYPE ? weakened : weakened.without(kind.rule()));
        frames.forEach(machine::send);
        TestingHost.await(kind + " behind the rules", () -> TestingHost.seen(wire.namespace()) == 1 + frames.size());
        assertThat(wire.traffic().drops().values()).allMatch(count -> count == 0);
    }

    /** Likewise, for what would not be routed anyway: the kernel of the namespace answers. */
    @Test
    void withoutItsRuleAForeignQuestionIsAnswered() {
        byte[] question = Frames.arp(1, Frames.GUEST_MAC, "10.0.2.99", Addresses.GATEWAY);
        machine.send(question);
        machine.send(Frames.arp(1, Frames.GUEST_MAC, Addresses.GUEST, Addresses.GATEWAY));
        byte[] answer = machine.receive(Deadline.inSeconds(5)).orElseThrow();
        assertThat(Ipv4.of(java.nio.ByteBuffer.wrap(answer).getInt(38)).getHostAddress())
                .isEqualTo(Addresses.GUEST);
        reload(host, wire, rules(wire).without(Drop.ARP.rule()).without(Drop.ETHERTYPE.rule()));
        machine.send(question);
        byte[] foreign = machine.receive(Deadline.inSeconds(5)).orElseThrow();
        assertThat(Ipv4.of(java.nio.ByteBuffer.wrap(foreign).getInt(38)).getHostAddress())
                .isEqualTo("10.0.2.99");
    }

    private Ruleset rules(Wire ofWire) {
        return rules(host, ofWire);
    }

    /** The rules that a wire of this host has. */
    static Ruleset rules(TestingHost host, Wire wire) {
        int block = Ipv4.number(wire.address()) & Ipv4Range.mask(20);
        return NamespaceRules.of(
                host.names(),
                wire.address(),
                Ipv4.of(block + 1),
                WireConfig.DEFAULT_RESOLVER_PORT,
                new Ipv4Range(block, 20),
                WireConfig.DEFAULT_CONNECTIONS);
    }

    /** Puts other rules in the place of a wire's. */
    static void reload(TestingHost host, Wire wire, Ruleset rules) {
        assertThat(host.names()).isNotNull();
        NetworkTools.prompt().nftIn(wire.namespace(), rules.script(), Deadline.inSeconds(10));
    }

    /** Hostile lengths and garbage must at least not stop the wire. */
    @Test
    void garbageDoesNotStopTheWire() {
        java.util.Random random = new java.util.Random(1);
        List<byte[]> garbage = new ArrayList<>();
        for (int i = 0; i < EACH * 20; i++) {
            byte[] frame = new byte[14 + random.nextInt(1500)];
            random.nextBytes(frame);
            if (i % 2 == 0) {
                System.arraycopy(Frames.ip(new byte[0]), 0, frame, 0, 14);
            }
            garbage.add(frame);
        }
        garbage.forEach(machine::send);
        assertAlive();
        assertThat(host.arrived()).isEqualTo(1);
    }

    /** What is sent last has arrived when everything before it has been decided about. */
    private void assertAlive() {
        machine.send(Frames.ip(Frames.ping(TestingHost.WORLD)));
        assertThat(machine.receiveIp(Frames.ICMP, Deadline.inSeconds(5))).isPresent();
    }
}
