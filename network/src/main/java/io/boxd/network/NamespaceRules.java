package io.boxd.network;

import io.boxd.network.Ruleset.Chain;
import io.boxd.network.Ruleset.Hook;
import io.boxd.network.Ruleset.Rule;
import io.boxd.network.Ruleset.Table;
import java.net.Inet4Address;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The rules in a wire's own namespace: what a machine may put on its wire, where it may go, and the
 * translation between the addresses that all machines have and the one that only this wire has.
 */
final class NamespaceRules {
    private static final int FIRST = -500;
    private static final int NAT_IN = -100;
    private static final int FILTER = 0;
    private static final int NAT_OUT = 100;

    private NamespaceRules() {}

    /**
     * The rules of one wire.
     *
     * @param own the wire's address
     * @param host where the host is seen from the wire
     * @param connections how many the machine may have opened at a time
     */
    static Ruleset of(
            WireNames names,
            Inet4Address own,
            Inet4Address host,
            int resolverPort,
            Ipv4Range instance,
            int connections) {
        return new Ruleset(List.of(frames(names), packets(names, own, host, resolverPort, instance, connections)));
    }

    /** What comes out of the machine, looked at before the kernel believes any of it. */
    private static Table frames(WireNames names) {
        List<Drop> kinds = List.of(
                Drop.VLAN,
                Drop.SPOOFED_MAC,
                Drop.IPV6,
                Drop.ARP,
                Drop.ETHERTYPE,
                Drop.DHCP,
                Drop.SPOOFED_IP,
                Drop.IP_OPTIONS,
                Drop.FRAGMENT,
                Drop.PROTOCOL);
        String question = "ether type arp arp htype 1 arp ptype ip arp hlen 6 arp plen 4 arp operation request"
                + " arp saddr ether " + Addresses.GUEST_MAC + " arp saddr ip " + Addresses.GUEST
                + " arp daddr ip { " + Addresses.GATEWAY + ", " + Addresses.RESOLVER + " } accept";
        Hook ingress = new Hook("filter", "ingress", Optional.of(WireNames.TAP), FIRST, "drop");
        Chain chain = Chain.at(
                "ingress",
                ingress,
                drop(Drop.VLAN, "ether type { 8021q, 8021ad, 0x9100, 0x9200 }"),
                drop(Drop.SPOOFED_MAC, "ether saddr != " + Addresses.GUEST_MAC),
                drop(Drop.IPV6, "ether type ip6"),
                new Rule("arp-question", question),
                drop(Drop.ARP, "ether type arp"),
                drop(Drop.ETHERTYPE, "ether type != ip"),
                drop(Drop.IP_OPTIONS, "ether type ip ip hdrlength != 5"),
                drop(Drop.FRAGMENT, "ether type ip ip frag-off & 0x3fff != 0"),
                // Before the source, since a client that asks for an address has none.
                drop(Drop.DHCP, "ether type ip udp dport { 67, 68 }"),
                drop(Drop.SPOOFED_IP, "ether type ip ip saddr != " + Addresses.GUEST),
                drop(Drop.PROTOCOL, "ether type ip ip protocol != { icmp, tcp, udp }"),
                new Rule("rest", "accept"));
        return new Table("netdev", names.table(), counters(kinds), List.of(chain));
    }

    private static Table packets(
            WireNames names,
            Inet4Address own,
            Inet4Address host,
            int resolverPort,
            Ipv4Range instance,
            int connections) {
        String hostText = host.getHostAddress();
        String resolver = hostText + ":" + resolverPort;
        List<Drop> kinds = List.of(Drop.FORBIDDEN, Drop.GATEWAY, Drop.CONNECTIONS, Drop.INVALID);
        String fromTap = "iifname \"" + WireNames.TAP + "\" ";
        String fromHost = "iifname \"" + WireNames.UP + "\" ip saddr " + hostText + " ";
        String asked = fromTap + "ip daddr " + Addresses.RESOLVER + " ";
        Chain before = Chain.at(
                "before",
                Hook.of("nat", "prerouting", NAT_IN, "accept"),
                new Rule("ask-udp", asked + "udp dport 53 dnat ip to " + resolver),
                new Rule("ask-tcp", asked + "tcp dport 53 dnat ip to " + resolver),
                // Whatever the address: one that the machine had on another wire is its own here, too.
                new Rule("dialled", fromHost + "dnat ip to " + Addresses.GUEST));
        Chain through = Chain.at(
                "through",
                Hook.of("filter", "forward", FILTER, "drop"),
                new Rule("out", fromTap + "oifname \"" + WireNames.UP + "\" jump outwards"),
                new Rule("in", fromHost + "oifname \"" + WireNames.TAP + "\" accept"),
                new Rule(
                        "back",
                        "iifname \"" + WireNames.UP + "\" oifname \"" + WireNames.TAP
                                + "\" ct state established,related accept"));
        Chain outwards = Chain.named(
                "outwards",
                drop(Drop.INVALID, "ct state invalid"),
                new Rule("known", "ct state established,related accept"),
                drop(Drop.CONNECTIONS, "ct count over " + connections),
                new Rule(
                        "resolver-udp",
                        "ct status dnat ip daddr " + hostText + " udp dport " + resolverPort + " accept"),
                new Rule(
                        "resolver-tcp",
                        "ct status dnat ip daddr " + hostText + " tcp dport " + resolverPort + " accept"),
                drop(Drop.FORBIDDEN, "ip daddr " + Forbidden.set(instance)),
                new Rule("world", "accept"));
        Chain here = Chain.at(
                "here",
                Hook.of("filter", "input", FILTER, "drop"),
                drop(Drop.GATEWAY, "iifname \"" + WireNames.TAP + "\""));
        Chain after = Chain.at(
                "after",
                Hook.of("nat", "postrouting", NAT_OUT, "accept"),
                new Rule("as-wire", "oifname \"" + WireNames.UP + "\" snat ip to " + own.getHostAddress()),
                new Rule("as-gateway", "oifname \"" + WireNames.TAP + "\" snat ip to " + Addresses.GATEWAY));
        return new Table("inet", names.table(), counters(kinds), List.of(outwards, before, through, here, after));
    }

    private static Rule drop(Drop kind, String match) {
        return new Rule(kind.rule(), match + " " + kind.verdict());
    }

    private static List<String> counters(List<Drop> kinds) {
        return Stream.of(kinds).flatMap(List::stream).map(Drop::counter).toList();
    }
}
