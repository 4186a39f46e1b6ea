package io.boxd.network;

import io.boxd.linux.Netlink;
import io.boxd.linux.NetlinkRequest;
import java.net.Inet4Address;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Points single addresses at interfaces of this host, at once and without starting a program. */
final class RouteTable implements AutoCloseable {
    private static final int NEW_ROUTE = 24;
    private static final int DELETE_ROUTE = 25;
    private static final int NEW_NEIGHBOUR = 28;
    private static final int DESTINATION = 1;
    private static final int OUTGOING_INTERFACE = 4;
    private static final int PREFERRED_SOURCE = 7;
    private static final int NEIGHBOUR_ADDRESS = 1;
    private static final int NEIGHBOUR_HARDWARE = 2;
    private static final byte INET = 2;
    private static final byte ONE_ADDRESS = 32;
    private static final byte MAIN_TABLE = (byte) 254;
    private static final byte STATIC = 4;
    private static final byte LINK_SCOPE = (byte) 253;
    private static final byte ANY_SCOPE = (byte) 255;
    private static final byte UNICAST = 1;
    private static final short PERMANENT = 0x80;
    /** Above all not the one that asks the kernel to resolve the address instead of believing us. */
    private static final byte NO_FLAGS = 0;

    private final Netlink netlink = Netlink.open(Netlink.Family.ROUTE);
    private final Inet4Address source;

    /** Packets to these addresses leave with this source. */
    RouteTable(Inet4Address source) {
        this.source = source;
    }

    void point(Inet4Address address, int interfaceIndex) {
        byte[] head = {INET, ONE_ADDRESS, 0, 0, MAIN_TABLE, STATIC, LINK_SCOPE, UNICAST, 0, 0, 0, 0};
        netlink.ask(
                "the route of " + address.getHostAddress(),
                NetlinkRequest.replace(NEW_ROUTE, head)
                        .with(DESTINATION, address.getAddress())
                        .withNumber(OUTGOING_INTERFACE, interfaceIndex)
                        .with(PREFERRED_SOURCE, source.getAddress()));
    }

    void remove(Inet4Address address) {
        byte[] head = {INET, ONE_ADDRESS, 0, 0, MAIN_TABLE, 0, ANY_SCOPE, 0, 0, 0, 0, 0};
        netlink.ask(
                "removing the route of " + address.getHostAddress(),
                NetlinkRequest.delete(DELETE_ROUTE, head).with(DESTINATION, address.getAddress()));
    }

    /** Tells the hardware address of a neighbour once and for all, so that nobody asks for it. */
    void neighbour(Inet4Address address, int interfaceIndex, byte[] hardwareAddress) {
        byte[] head = ByteBuffer.allocate(12)
                .order(ByteOrder.nativeOrder())
                .putInt(INET)
                .putInt(interfaceIndex)
                .putShort(PERMANENT)
                .put(NO_FLAGS)
                .put(UNICAST)
                .array();
        netlink.ask(
                "the neighbour " + address.getHostAddress(),
                NetlinkRequest.replace(NEW_NEIGHBOUR, head)
                        .with(NEIGHBOUR_ADDRESS, address.getAddress())
                        .with(NEIGHBOUR_HARDWARE, hardwareAddress));
    }

    @Override
    public void close() {
        netlink.close();
    }
}
