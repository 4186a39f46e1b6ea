package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.network.Knock;
import io.boxd.network.Traffic;
import io.boxd.network.Watch;
import io.boxd.network.Wire;
import io.boxd.network.Wires;
import io.boxd.vmm.Machine;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** How boxes are reached over their wires, awake and asleep; on a host without network there is nothing to do. */
final class Ways {
    /** A box gets one more with each wire it has had; the first and the latest are what others may still use. */
    private static final int MOST_ADDRESSES = 4;

    private final Optional<Wires> wires;

    Ways(Optional<Wires> wires) {
        this.wires = wires;
    }

    Optional<Wire> wire(Machine machine) {
        return machine.uplink().flatMap(uplink -> wires.flatMap(all -> all.find(uplink.id())));
    }

    Optional<Traffic> traffic(Machine machine) {
        return wire(machine).map(Wire::traffic);
    }

    /** All at which a machine that is awake is reached, the one it has had longest first. */
    List<String> addresses(Machine machine, List<String> recorded) {
        List<String> all = wire(machine).map(Ways::names).orElse(List.of());
        List<String> sorted = new ArrayList<>(recorded);
        sorted.retainAll(all);
        all.stream().filter(address -> !sorted.contains(address)).forEach(sorted::add);
        return sorted;
    }

    private static List<String> names(Wire wire) {
        return wire.addresses().stream().map(Inet4Address::getHostAddress).toList();
    }

    /** From now on its addresses are watched. */
    Optional<Watch> watch(Machine machine, Consumer<Knock> listener) {
        return wire(machine).map(wire -> all().watch(wire, listener));
    }

    /** Goes on watching for a machine that an earlier server had put to sleep, as far as the addresses are free. */
    Optional<Watch> watchAgain(List<String> addresses, Consumer<Knock> listener) {
        if (wires.isEmpty()) {
            return Optional.empty();
        }
        List<Inet4Address> free =
                addresses.stream().map(Ways::parse).filter(all()::claim).toList();
        return free.isEmpty() ? Optional.empty() : Optional.of(all().watch(free, listener));
    }

    /** Its machine is awake: what was held is delivered, and addresses that nobody can still mean are let go. */
    void deliver(Watch watch, Machine machine, List<String> recorded, Deadline deadline) {
        Optional<Wire> wire = wire(machine);
        if (wire.isEmpty()) {
            return;
        }
        watch.deliverTo(wire.get(), deadline);
        if (recorded.size() > MOST_ADDRESSES) {
            List<Inet4Address> old = recorded.subList(1, recorded.size() - MOST_ADDRESSES + 1).stream()
                    .map(Ways::parse)
                    .filter(watch.addresses()::contains)
                    .toList();
            all().release(wire.get(), old);
        }
    }

    /** Its machine will not be back. */
    void abandon(Watch watch) {
        wires.ifPresent(all -> all.abandon(watch));
    }

    /** After all that are there have been found. */
    void removeUnclaimed() {
        wires.ifPresent(Wires::removeUnclaimed);
    }

    private Wires all() {
        return wires.orElseThrow();
    }

    private static Inet4Address parse(String address) {
        try {
            return (Inet4Address) InetAddress.getByName(address);
        } catch (UnknownHostException | ClassCastException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "the record has a wrong address", e);
        }
    }
}
