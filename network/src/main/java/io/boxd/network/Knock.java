package io.boxd.network;

import java.net.Inet4Address;

/**
 * The first packet for a machine that sleeps.
 *
 * @param address of the machine, at which somebody wants to reach it
 * @param source who does
 * @param protocol as the packet's header has it: 6 is TCP, 17 UDP
 * @param port that it is for; 0 if the protocol has none
 */
public record Knock(Inet4Address address, Inet4Address source, int protocol, int port) {
    private static final int SHORTEST_HEADER = 20;
    private static final int TCP = 6;
    private static final int UDP = 17;

    /** Whether this is an IPv4 packet, as far as its head tells. */
    static boolean isPacket(byte[] packet) {
        return packet.length >= SHORTEST_HEADER && packet[0] >> 4 == 4;
    }

    static Inet4Address destination(byte[] packet) {
        return Ipv4.of(number(packet, 16, 4));
    }

    static Knock of(byte[] packet) {
        int protocol = number(packet, 9, 1);
        int payload = (packet[0] & 0xf) * 4;
        boolean hasPort = (protocol == TCP || protocol == UDP) && payload + 4 <= packet.length;
        return new Knock(
                destination(packet),
                Ipv4.of(number(packet, 12, 4)),
                protocol,
                hasPort ? number(packet, payload + 2, 2) : 0);
    }

    private static int number(byte[] packet, int at, int bytes) {
        int value = 0;
        for (int i = at; i < at + bytes; i++) {
            value = (value << 8) | (packet[i] & 0xff);
        }
        return value;
    }
}
