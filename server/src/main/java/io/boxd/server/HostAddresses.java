package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The addresses of this host. */
final class HostAddresses {
    /** Somewhere in the internet, for each kind of address; nothing is sent there. */
    private static final List<InetAddress> ELSEWHERE =
            List.of(InetAddress.ofLiteral("192.0.2.1"), InetAddress.ofLiteral("2001:db8::1"));

    private static final int ANY_PORT = 53;

    private HostAddresses() {}

    /** At which a server that listens there can be reached. */
    static List<InetAddress> reaching(InetAddress bind) {
        if (!bind.isAnyLocalAddress()) {
            return List.of(bind);
        }
        try {
            Set<InetAddress> addresses = new LinkedHashSet<>();
            addresses.add(InetAddress.ofLiteral("127.0.0.1"));
            NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.isLinkLocalAddress())
                    .forEach(addresses::add);
            return List.copyOf(addresses);
        } catch (SocketException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "the addresses of this host cannot be found", e);
        }
    }

    /** To which names of a server that listens there lead: those from which this host speaks with the internet. */
    static List<InetAddress> leadingTo(InetAddress bind) {
        if (!bind.isAnyLocalAddress()) {
            return List.of(bind);
        }
        List<InetAddress> addresses = new ArrayList<>();
        for (InetAddress far : ELSEWHERE) {
            try (DatagramSocket socket = new DatagramSocket()) {
                socket.connect(far, ANY_PORT);
                if (!socket.getLocalAddress().isAnyLocalAddress()) {
                    addresses.add(socket.getLocalAddress());
                }
            } catch (IOException | java.io.UncheckedIOException _) {
                // No way leads there with this kind of address.
            }
        }
        return addresses.isEmpty() ? List.of(InetAddress.getLoopbackAddress()) : addresses;
    }
}
