package io.boxd.network;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.linux.LinkSender;
import io.boxd.linux.TunDevice;
import java.net.Inet4Address;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The instance's own interface on the host: it has the address that machines see their host at, and
 * what is routed to it, packets for machines that sleep, comes to us.
 *
 * <p>It outlives the server. While no server runs, packets for sleeping machines are dropped.
 */
final class Gateway implements AutoCloseable {
    private final String name;
    private final int interfaceIndex;
    private final TunDevice device;
    private final RouteTable routes;
    private final LinkSender sender = LinkSender.open();
    private final Map<Inet4Address, Watch> watches = new ConcurrentHashMap<>();
    private final Thread reader;

    private Gateway(String name, Inet4Address own, TunDevice device) {
        this.name = name;
        this.interfaceIndex = Interfaces.index(name);
        this.device = device;
        this.routes = new RouteTable(own);
        // Reading blocks the operating system's thread, so it is one.
        this.reader = Thread.ofPlatform().daemon().name("gateway " + name).start(this::read);
    }

    /** Makes the interface, or takes over that of an earlier server. */
    static Gateway open(WireNames names, Inet4Address own, NetworkTools tools, Deadline deadline) {
        String name = names.gateway();
        List<String> lines = new ArrayList<>();
        if (!Interfaces.exists(name)) {
            lines.add("tuntap add dev " + name + " mode tun");
        }
        lines.add("address replace " + own.getHostAddress() + "/32 dev " + name);
        lines.add("link set " + name + " up");
        tools.ip(lines, deadline);
        Switches.setAll(Map.of("ipv6/conf/" + name + "/disable_ipv6", "1"));
        return new Gateway(name, own, TunDevice.attach(name, TunDevice.Kind.IP_PACKETS));
    }

    private void read() {
        for (byte[] packet = device.read(null); packet != null; packet = device.read(null)) {
            if (Knock.isPacket(packet)) {
                Watch watch = watches.get(Knock.destination(packet));
                if (watch != null) {
                    hand(watch, packet);
                }
            }
        }
    }

    /** One wire that is gone must not end the reading for all others. */
    private static void hand(Watch watch, byte[] packet) {
        try {
            watch.take(packet);
        } catch (BoxdException e) {
            System.getLogger(Gateway.class.getName())
                    .log(System.Logger.Level.WARNING, "a packet for a waking machine was lost", e);
        }
    }

    /** From now on, packets to these addresses come here. */
    Watch watch(List<Inet4Address> addresses, Consumer<Knock> listener) {
        Watch watch = new Watch(addresses, listener, routes, sender);
        addresses.forEach(address -> watches.put(address, watch));
        addresses.forEach(address -> routes.point(address, interfaceIndex));
        return watch;
    }

    /** Addresses whose packets come here, also if nobody watches them yet. */
    List<Inet4Address> routedHere() {
        return HostRoutes.routes().stream()
                .filter(route -> route.device().equals(name))
                .filter(route -> route.destination().prefixLength() == 32)
                .map(route -> Ipv4.of(route.destination().first()))
                .toList();
    }

    /** The address belongs to nobody any more, wherever it was routed to. */
    void drop(Inet4Address address) {
        watches.remove(address);
        routes.remove(address);
    }

    /** The address belongs to nobody any more. */
    void forget(Inet4Address address) {
        watches.remove(address);
        if (routedHere().contains(address)) {
            routes.remove(address);
        }
    }

    @Override
    public void close() {
        device.close();
        try {
            reader.join(java.time.Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        routes.close();
        sender.close();
    }
}
