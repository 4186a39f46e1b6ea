package io.boxd.network;

import io.boxd.network.Ruleset.Chain;
import io.boxd.network.Ruleset.Hook;
import io.boxd.network.Ruleset.Rule;
import io.boxd.network.Ruleset.Table;
import java.net.Inet4Address;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The one table of an instance in the host's own namespace: the last hop, and a second wall.
 *
 * <p>Speaks only about this instance's wires, so other tables are neither changed nor overruled: where
 * one of them drops, the packet is gone.
 */
final class HostRules {
    /** After connections are known, before anybody translates a destination. */
    private static final int BEFORE_NAT = -150;

    private static final int BEFORE_FILTER = -10;
    private static final int NAT_OUT = 100;

    private static final String FORGED = "drop_forged";
    private static final String TO_HOST = "drop_host";
    private static final String BETWEEN = "drop_between";
    private static final String FORBIDDEN = "drop_forbidden";
    private static final String UNINVITED = "drop_uninvited";
    private static final String ROUTED = "drop_routed";

    private HostRules() {}

    /**
     * The table.
     *
     * @param switched interfaces that forward only since boxd made them
     * @param others interfaces that were there at that time: between them nothing may pass that did not before
     */
    static Ruleset of(
            WireNames names,
            Inet4Address own,
            int resolverPort,
            Ipv4Range instance,
            List<String> switched,
            List<String> others) {
        String wires = "\"" + names.hostInterfaces() + "\"";
        String anyWire = "\"" + WireNames.ANY_WIRE + "*\"";
        String host = own.getHostAddress();
        Chain before = Chain.at(
                "before",
                Hook.of("filter", "prerouting", BEFORE_NAT, "accept"),
                new Rule("wires", "iifname " + wires + " jump from_wire"));
        Chain fromWire = Chain.named(
                "from_wire",
                count("ipv6", "meta nfproto ipv6", FORGED),
                // The way back to a source must be the wire that it came over.
                count("forged", "fib saddr . iif oif 0", FORGED),
                new Rule("known", "ct state established,related accept"),
                new Rule("resolver-udp", "ip daddr " + host + " udp dport " + resolverPort + " accept"),
                new Rule("resolver-tcp", "ip daddr " + host + " tcp dport " + resolverPort + " accept"),
                // Here, since somebody's translation could lead such a packet past the input hook.
                count("host", "fib daddr type != unicast", TO_HOST),
                count("forbidden", "ip daddr " + Forbidden.set(instance), FORBIDDEN));
        Chain input = Chain.at(
                "to_host",
                Hook.of("filter", "input", BEFORE_FILTER, "accept"),
                new Rule("known", "iifname " + wires + " ct state established,related accept"),
                new Rule(
                        "resolver-udp",
                        "iifname " + wires + " ip daddr " + host + " udp dport " + resolverPort + " accept"),
                new Rule(
                        "resolver-tcp",
                        "iifname " + wires + " ip daddr " + host + " tcp dport " + resolverPort + " accept"),
                count("host", "iifname " + wires, TO_HOST));
        List<Rule> through = new ArrayList<>(List.of(
                count("between", "iifname " + wires + " oifname " + anyWire, BETWEEN),
                new Rule("known", "iifname " + wires + " ct state established,related accept"),
                // Again, behind everybody's translations.
                count("forbidden", "iifname " + wires + " ip daddr " + Forbidden.set(instance), FORBIDDEN),
                new Rule("answers", "oifname " + wires + " ct state established,related accept"),
                count("uninvited", "oifname " + wires, UNINVITED)));
        if (!switched.isEmpty()) {
            through.add(count("routed", "iifname " + set(switched) + " oifname " + set(others), ROUTED));
        }
        Chain forward = new Chain(
                "through",
                java.util.Optional.of(Hook.of("filter", "forward", BEFORE_FILTER, "accept")),
                List.copyOf(through));
        Chain after = Chain.at(
                "after",
                Hook.of("nat", "postrouting", NAT_OUT, "accept"),
                new Rule(
                        "as-host",
                        "ip saddr " + instance + " ip saddr != " + host + " oifname != " + anyWire + " masquerade"));
        return new Ruleset(List.of(new Table(
                "inet",
                names.table(),
                List.of(FORGED, TO_HOST, BETWEEN, FORBIDDEN, UNINVITED, ROUTED),
                List.of(fromWire, before, input, forward, after))));
    }

    /** What nft is to do to take the table away, whether it is there or not. */
    static String removal(WireNames names) {
        String table = "table inet " + names.table();
        return "add " + table + "\ndelete " + table + "\n";
    }

    private static Rule count(String name, String match, String counter) {
        return new Rule(name, match + " counter name \"" + counter + "\" drop");
    }

    private static String set(List<String> interfaces) {
        return interfaces.stream().map(name -> "\"" + name + "\"").collect(Collectors.joining(", ", "{ ", " }"));
    }
}
