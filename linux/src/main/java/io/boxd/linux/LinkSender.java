package io.boxd.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.Duration;

/**
 * Sends finished IPv4 packets out of an interface, past routing and filters of this host.
 *
 * <p>Belongs to the network namespace of the thread that opened it. Thread-safe.
 */
public final class LinkSender implements AutoCloseable {
    private static final int AF_PACKET = 17;
    private static final int SOCK_DGRAM = 2;
    private static final short ETHERTYPE_IPV4 = 0x0800;
    private static final int ADDRESS_BYTES = 20;
    private static final ValueLayout.OfShort BIG_ENDIAN_SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final RawSocket socket;

    private LinkSender(RawSocket socket) {
        this.socket = socket;
    }

    public static LinkSender open() {
        // Protocol 0: it receives nothing.
        return new LinkSender(RawSocket.open("packet", AF_PACKET, SOCK_DGRAM, 0, Duration.ofSeconds(1)));
    }

    /** Sends one packet to the neighbour with this hardware address. */
    public synchronized void send(int interfaceIndex, byte[] hardwareAddress, byte[] packet) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ADDRESS_BYTES, 4);
            address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_PACKET);
            address.set(BIG_ENDIAN_SHORT, 2, ETHERTYPE_IPV4);
            address.set(ValueLayout.JAVA_INT, 4, interfaceIndex);
            address.set(ValueLayout.JAVA_BYTE, 11, (byte) hardwareAddress.length);
            MemorySegment.copy(MemorySegment.ofArray(hardwareAddress), 0, address, 12, hardwareAddress.length);
            MemorySegment message = arena.allocate(packet.length);
            MemorySegment.copy(MemorySegment.ofArray(packet), 0, message, 0, packet.length);
            socket.send(message, address);
        }
    }

    @Override
    public synchronized void close() {
        socket.close();
    }
}
