package io.boxd.network;

import io.boxd.common.Deadline;
import java.net.Inet4Address;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One machine's connection: a tap in a namespace of its own, and the address it has on the host.
 *
 * <p>Used for one machine only, then removed. Thread-safe.
 */
public final class Wire {
    private final String id;
    private final Path namespace;
    private final String hostInterface;
    private final int interfaceIndex;
    private final Inet4Address address;
    private final NamespaceView view;
    /** Where the machine is reached now: none while it sleeps, several once it has changed its wire. */
    private final List<Inet4Address> reached = new ArrayList<>();

    Wire(
            String id,
            Path namespace,
            String hostInterface,
            int interfaceIndex,
            Inet4Address address,
            NamespaceView view) {
        this.id = id;
        this.namespace = namespace;
        this.hostInterface = hostInterface;
        this.interfaceIndex = interfaceIndex;
        this.address = address;
        this.view = view;
        reached.add(address);
    }

    /** Unique among the wires of its instance. */
    public String id() {
        return id;
    }

    /** The network namespace that the tap is in. */
    public Path namespace() {
        return namespace;
    }

    /** The tap's name there. */
    public String tap() {
        return WireNames.TAP;
    }

    /** Where the host reaches the machine, at any port. */
    public Inet4Address address() {
        return address;
    }

    /** Counters as they are now; starts no program. */
    public Traffic traffic() {
        return new Traffic(
                Interfaces.statistic(hostInterface, "rx_packets"),
                Interfaces.statistic(hostInterface, "rx_bytes"),
                Interfaces.statistic(hostInterface, "tx_packets"),
                Interfaces.statistic(hostInterface, "tx_bytes"),
                view.counters().read());
    }

    String hostInterface() {
        return hostInterface;
    }

    int interfaceIndex() {
        return interfaceIndex;
    }

    /** Addresses at which the machine is reached over this wire from now on. */
    void accept(List<Inet4Address> addresses) {
        synchronized (reached) {
            addresses.stream().filter(one -> !reached.contains(one)).forEach(reached::add);
        }
    }

    /** Every address at which the machine is reached now; none while it is watched for. */
    public List<Inet4Address> addresses() {
        synchronized (reached) {
            return List.copyOf(reached);
        }
    }

    /** The machine is not reached at these any more. */
    void refuse(List<Inet4Address> addresses) {
        synchronized (reached) {
            reached.removeAll(addresses);
        }
    }

    /** Gives away every address: nobody is reached over this wire any more. */
    List<Inet4Address> surrender() {
        synchronized (reached) {
            List<Inet4Address> all = List.copyOf(reached);
            reached.clear();
            return all;
        }
    }

    /** Waits until a machine has the tap open and the kernel lets packets through to it. */
    boolean awaitPluggedIn(Deadline deadline) {
        return view.tap().awaitUp(deadline);
    }

    /** Lets go of the wire, which stays as it is. */
    void close() {
        view.close();
    }

    @Override
    public String toString() {
        return "wire " + id + " at " + address.getHostAddress();
    }
}
