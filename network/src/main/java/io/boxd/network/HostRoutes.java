package io.boxd.network;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Where the host's packets go, as the kernel's own files tell. */
final class HostRoutes {
    private static final Path TABLE = Path.of("/proc/net/route");

    private HostRoutes() {}

    /** One line of the routing table. */
    record Route(String device, Ipv4Range destination) {}

    /** Whether any address or route of this host, except its default route, lies in the range. */
    static boolean any(Ipv4Range range) {
        return routes().stream()
                        .filter(route -> route.destination().prefixLength() > 0)
                        .anyMatch(route -> route.destination().overlaps(range))
                || addresses().stream().anyMatch(range::contains);
    }

    /** Interfaces that lead everywhere. */
    static List<String> defaultDevices() {
        return routes().stream()
                .filter(route -> route.destination().prefixLength() == 0)
                .map(Route::device)
                .distinct()
                .toList();
    }

    static List<Route> routes() {
        try {
            return parse(Files.readString(TABLE));
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot read " + TABLE, e);
        }
    }

    /** Columns: interface, destination, gateway, flags, three counters, mask; numbers as in memory. */
    static List<Route> parse(String table) {
        List<Route> routes = new ArrayList<>();
        for (String line : table.lines().skip(1).toList()) {
            String[] columns = line.strip().split("\\s+", -1);
            if (columns.length >= 8) {
                int destination = Integer.reverseBytes(Integer.parseUnsignedInt(columns[1], 16));
                int mask = Integer.reverseBytes(Integer.parseUnsignedInt(columns[7], 16));
                routes.add(new Route(columns[0], new Ipv4Range(destination & mask, Integer.bitCount(mask))));
            }
        }
        return routes;
    }

    private static List<Integer> addresses() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(Inet4Address.class::isInstance)
                    .map(Ipv4::number)
                    .toList();
        } catch (SocketException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot list the addresses of this host", e);
        }
    }
}
