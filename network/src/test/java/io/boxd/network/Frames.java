package io.boxd.network;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/** Builds Ethernet frames byte by byte, right ones and wrong ones. */
final class Frames {
    static final byte[] GUEST_MAC = Addresses.bytes(Addresses.GUEST_MAC);
    static final byte[] GATEWAY_MAC = Addresses.bytes(Addresses.GATEWAY_MAC);
    static final byte[] OTHER_MAC = HexFormat.of().parseHex("02000a000299");
    static final byte[] EVERYBODY = HexFormat.of().parseHex("ffffffffffff");
    static final int ICMP = 1;
    static final int TCP = 6;
    static final int UDP = 17;

    private Frames() {}

    static byte[] ethernet(byte[] source, byte[] destination, int type, byte[] payload) {
        return ByteBuffer.allocate(14 + payload.length)
                .put(destination)
                .put(source)
                .putShort((short) type)
                .put(payload)
                .array();
    }

    /** From the machine to its gateway. */
    static byte[] ip(byte[] packet) {
        return ethernet(GUEST_MAC, GATEWAY_MAC, 0x0800, packet);
    }

    /** With a tag of this network; 0 means none, so the kernel takes such a frame for an untagged one. */
    static byte[] vlan(int outerType, int network, byte[] packet) {
        byte[] tagged = ByteBuffer.allocate(4 + packet.length)
                .putShort((short) network)
                .putShort((short) 0x0800)
                .put(packet)
                .array();
        return ethernet(GUEST_MAC, GATEWAY_MAC, outerType, tagged);
    }

    static byte[] udp(String source, String destination, int port, byte[] data) {
        return udp(source, 40000, destination, port, data);
    }

    static byte[] udp(String source, int sourcePort, String destination, int port, byte[] data) {
        byte[] segment = ByteBuffer.allocate(8 + data.length)
                .putShort((short) sourcePort)
                .putShort((short) port)
                .putShort((short) (8 + data.length))
                // No checksum: allowed in IPv4.
                .putShort((short) 0)
                .put(data)
                .array();
        return packet(source, destination, UDP, 0, new byte[0], segment);
    }

    static byte[] udp(String destination, int port) {
        return udp(Addresses.GUEST, destination, port, "probe".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }

    static byte[] ping(String destination) {
        ByteBuffer message = ByteBuffer.allocate(16).put((byte) 8).put((byte) 0).putShort((short) 0);
        message.putShort((short) 0x1234).putShort((short) 1);
        message.putShort(2, (short) checksum(message.array()));
        return packet(Addresses.GUEST, destination, ICMP, 0, new byte[0], message.array());
    }

    /** A TCP segment with these flags and no data. */
    static byte[] tcp(
            String source, int sourcePort, String destination, int port, int sequence, int acknowledged, int flags) {
        ByteBuffer segment = ByteBuffer.allocate(20)
                .putShort((short) sourcePort)
                .putShort((short) port)
                .putInt(sequence)
                .putInt(acknowledged)
                .put((byte) 0x50)
                .put((byte) flags)
                .putShort((short) 65535);
        ByteBuffer summed = ByteBuffer.allocate(12 + 20)
                .putInt(Ipv4.parse(source))
                .putInt(Ipv4.parse(destination))
                .put((byte) 0)
                .put((byte) TCP)
                .putShort((short) 20)
                .put(segment.array());
        segment.putShort(16, (short) checksum(summed.array()));
        return packet(source, destination, TCP, 0, new byte[0], segment.array());
    }

    /** An IPv4 packet; options must fill whole words. */
    static byte[] packet(
            String source, String destination, int protocol, int fragment, byte[] options, byte[] payload) {
        int header = 20 + options.length;
        ByteBuffer packet = ByteBuffer.allocate(header + payload.length)
                .put((byte) (0x40 | header / 4))
                .put((byte) 0)
                .putShort((short) (header + payload.length))
                .putShort((short) 99)
                .putShort((short) fragment)
                .put((byte) 64)
                .put((byte) protocol)
                .putShort((short) 0)
                .putInt(Ipv4.parse(source))
                .putInt(Ipv4.parse(destination))
                .put(options);
        byte[] head = new byte[header];
        packet.get(0, head);
        packet.putShort(10, (short) checksum(head));
        return packet.put(payload).array();
    }

    static byte[] arp(int operation, byte[] senderMac, String senderIp, String targetIp) {
        byte[] message = ByteBuffer.allocate(28)
                .putShort((short) 1)
                .putShort((short) 0x0800)
                .put((byte) 6)
                .put((byte) 4)
                .putShort((short) operation)
                .put(senderMac)
                .putInt(Ipv4.parse(senderIp))
                .put(new byte[6])
                .putInt(Ipv4.parse(targetIp))
                .array();
        return ethernet(GUEST_MAC, EVERYBODY, 0x0806, message);
    }

    static int checksum(byte[] bytes) {
        int sum = 0;
        for (int i = 0; i < bytes.length; i += 2) {
            sum += (bytes[i] & 0xff) << 8 | (i + 1 < bytes.length ? bytes[i + 1] & 0xff : 0);
        }
        while (sum >> 16 != 0) {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        return ~sum & 0xffff;
    }
}
