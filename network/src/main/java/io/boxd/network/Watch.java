package io.boxd.network;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.LinkSender;
import java.net.Inet4Address;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the addresses of a machine that sleeps: notices the first packet, holds it and those that
 * follow, and delivers them when the machine is back, on whichever wire.
 *
 * <p>Thread-safe. The wire that the machine had may be given back meanwhile.
 */
public final class Watch {
    /** Enough for many first packets; later ones are sent again by whoever sends them. */
    static final int MOST_PACKETS = 256;

    private static final byte[] NEIGHBOUR = Addresses.bytes(Addresses.UP_MAC);

    private final List<Inet4Address> addresses;
    private final Consumer<Knock> listener;
    private final RouteTable routes;
    private final LinkSender sender;
    private final Queue<byte[]> held = new ArrayDeque<>();
    private boolean knocked;
    private long lost;
    private @Nullable Wire wire;

    Watch(List<Inet4Address> addresses, Consumer<Knock> listener, RouteTable routes, LinkSender sender) {
        this.addresses = List.copyOf(addresses);
        this.listener = listener;
        this.routes = routes;
        this.sender = sender;
    }

    /** Where the machine is expected to be reached. */
    public List<Inet4Address> addresses() {
        return addresses;
    }

    /** How many packets are being held. */
    public synchronized int held() {
        return held.size();
    }

    /** How many packets came when no more could be held. */
    public synchronized long lost() {
        return lost;
    }

    /**
     * Ends the watch: from now on the machine is reached over this wire, and what was held is sent.
     *
     * <p>To be called when the machine runs again. If it has not its tap open by the deadline, the watch
     * goes on, since packets would be lost.
     */
    public void deliverTo(Wire target, Deadline deadline) {
        if (!target.awaitPluggedIn(deadline)) {
            throw new BoxdException(ErrorCode.WRONG_STATE, "no machine is plugged in at " + target);
        }
        deliver(target);
    }

    private synchronized void deliver(Wire target) {
        for (Inet4Address address : addresses) {
            routes.neighbour(address, target.interfaceIndex(), NEIGHBOUR);
            routes.point(address, target.interfaceIndex());
        }
        target.accept(addresses);
        wire = target;
        for (byte[] packet = held.poll(); packet != null; packet = held.poll()) {
            sender.send(target.interfaceIndex(), NEIGHBOUR, packet);
        }
    }

    /** A packet that was sent to one of the addresses while they were watched. */
    synchronized void take(byte[] packet) {
        Wire target = wire;
        if (target != null) {
            // Was on its way to us when the route changed.
            sender.send(target.interfaceIndex(), NEIGHBOUR, packet);
            return;
        }
        if (held.size() < MOST_PACKETS) {
            held.add(packet);
        } else {
            lost++;
        }
        if (!knocked) {
            knocked = true;
            // On a thread of its own: the listener wakes a machine, and others' packets must not wait for that.
            Thread.ofVirtual().name("knock").start(() -> listener.accept(Knock.of(packet)));
        }
    }
}
