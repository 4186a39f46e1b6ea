package io.boxd.network;

import java.util.Locale;

/** Why a packet of a machine was not let through; each is counted by itself. */
public enum Drop {
    /** A tag of a virtual network, single or double. */
    VLAN,
    /** A hardware address that is not the machine's. */
    SPOOFED_MAC,
    /** IPv6 of any kind, router advertisements included. */
    IPV6,
    /** ARP other than the question who has the gateway or the resolver. */
    ARP,
    /** Neither IPv4 nor ARP. */
    ETHERTYPE,
    /** DHCP as client or server. */
    DHCP,
    /** A source address that is not the machine's. */
    SPOOFED_IP,
    IP_OPTIONS,
    FRAGMENT,
    /** Anything but TCP, UDP and ICMP. */
    PROTOCOL,
    /** A destination that no machine may reach. */
    FORBIDDEN,
    /** For the gateway itself, which offers nothing. */
    GATEWAY,
    /** More connections at a time than a machine may have. */
    CONNECTIONS,
    /** Part of no connection that could be. */
    INVALID;

    /** The counter's name in the kernel. */
    String counter() {
        return "drop_" + name().toLowerCase(Locale.ROOT);
    }

    /** The rule's name. */
    String rule() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** How a rule counts and drops. */
    String verdict() {
        return "counter name \"" + counter() + "\" drop";
    }
}
