package io.boxd.network;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.InstanceId;
import java.net.Inet4Address;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The wires of one instance: made ahead of time, handed out, watched while their machines sleep.
 *
 * <p>Thread-safe. Wires that are handed out outlive this object and the server: the rules stay, and the
 * next server adopts them. If none is left when it is closed, nothing stays on the host.
 */
public final class Wires implements AutoCloseable {
    private static final long MAKING_SECONDS = 30;
    private static final long REMOVING_SECONDS = 10;

    private final WireConfig config;
    private final WireNames names;
    private final AddressBlock block;
    private final Gateway gateway;
    private final WireMaker maker;
    private final WirePool pool;
    private final Resolver resolver;
    private final Map<String, Wire> handedOut = new ConcurrentHashMap<>();
    private final Map<String, Wire> left = new ConcurrentHashMap<>();
    private final Set<Inet4Address> sleeping = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();

    private Wires(WireConfig config, AddressBlock block, Gateway gateway, Resolver resolver) {
        this.config = config;
        this.names = new WireNames(InstanceId.of(config.home()));
        this.block = block;
        this.gateway = gateway;
        this.resolver = resolver;
        this.maker = new WireMaker(names, block, config);
        this.pool = new WirePool(maker, config.pool());
    }

    /** Opens the wires of the instance that lives in this home; needs root. */
    public static Wires open(WireConfig config, Deadline deadline) {
        WireNames names = new WireNames(InstanceId.of(config.home()));
        AddressBlock block = AddressBlock.take(config);
        @Nullable Gateway gateway = null;
        try {
            NetworkTools tools = NetworkTools.prompt();
            List<String> uplinks = config.uplinks().isEmpty() ? HostRoutes.defaultDevices() : config.uplinks();
            Forwarding forwarding = Forwarding.plan(config.registry(), uplinks);
            Ruleset rules = HostRules.of(
                    names,
                    block.own(),
                    config.resolverPort(),
                    block.range(),
                    forwarding.switched(),
                    forwarding.others());
            tools.nft(rules.script(), deadline);
            List<String> problems = RulesCheck.problems(rules, tools.rules(deadline), false);
            if (!problems.isEmpty()) {
                throw new BoxdException(
                        ErrorCode.INTERNAL, "the host's rules cannot be confirmed: " + String.join("; ", problems));
            }
            forwarding.enable();
            gateway = Gateway.open(names, block.own(), tools, deadline);
            Resolver resolver = Resolver.open(
                    block.own(),
                    config.resolverPort(),
                    Upstreams.of(config.resolvers()),
                    address -> address instanceof Inet4Address v4
                            && block.range().contains(Ipv4.number(v4))
                            && !v4.equals(block.own()));
            Wires wires = new Wires(config, block, gateway, resolver);
            wires.findLeft(tools, deadline);
            wires.pool.start();
            return wires;
        } catch (RuntimeException e) {
            if (gateway != null) {
                gateway.close();
            }
            clear(config, names);
            block.close();
            throw e;
        }
    }

    /** Takes over what an earlier server has left whole, and removes what is broken. */
    private void findLeft(NetworkTools tools, Deadline deadline) {
        Set<Integer> slots = new TreeSet<>(names.namespaceSlots());
        slots.addAll(names.interfaceSlots());
        for (int slot : slots) {
            String id = WireNames.id(slot);
            try {
                left.put(id, maker.adopt(slot, tools, deadline));
            } catch (BoxdException e) {
                System.getLogger(Wires.class.getName())
                        .log(System.Logger.Level.WARNING, "removing wire " + id + " of an earlier server", e);
                maker.remove(id, deadline);
            }
        }
        for (HostRoutes.Route route : HostRoutes.routes()) {
            Wire wire = left.get(names.idOfInterface(route.device()).orElse(""));
            if (wire != null && route.destination().prefixLength() == 32) {
                Inet4Address address = Ipv4.of(route.destination().first());
                wire.accept(List.of(address));
                // Its own was taken when it was adopted.
                boolean taken = block.acquire(block.slot(address));
                assert taken || address.equals(wire.address());
            }
        }
        for (Inet4Address address : gateway.routedHere()) {
            if (block.range().contains(Ipv4.number(address))) {
                block.acquire(block.slot(address));
                sleeping.add(address);
            }
        }
    }

    /** A wire for one machine; from the pool it comes at once, otherwise it is made. */
    public Wire take() {
        Wire wire = pool.poll();
        if (wire == null) {
            wire = maker.make(NetworkTools.prompt(), Deadline.inSeconds(MAKING_SECONDS));
        }
        handedOut.put(wire.id(), wire);
        return wire;
    }

    /** Removes a wire for good, with every address that its machine is reached at. */
    public void giveBack(Wire wire) {
        if (handedOut.remove(wire.id(), wire)) {
            remove(wire);
        }
    }

    private void remove(Wire wire) {
        wire.close();
        maker.remove(wire.id(), Deadline.inSeconds(REMOVING_SECONDS));
        for (Inet4Address address : wire.surrender()) {
            gateway.forget(address);
            block.release(block.slot(address));
        }
    }

    /** The wire of this id that was handed out, by this server or an earlier one. */
    public Optional<Wire> find(String id) {
        Wire wire = handedOut.get(id);
        return Optional.ofNullable(wire == null ? left.get(id) : wire);
    }

    /** Wires that an earlier server handed out and nobody has claimed yet. */
    public List<Wire> unclaimed() {
        return List.copyOf(left.values());
    }

    /** Claims a wire that an earlier server handed out: its machine still runs. */
    public Optional<Wire> adopt(String id) {
        Wire wire = left.remove(id);
        if (wire != null) {
            handedOut.put(id, wire);
        }
        return Optional.ofNullable(wire);
    }

    /** Removes the wires, and frees the addresses, that an earlier server left and nobody has claimed. */
    public void removeUnclaimed() {
        for (Wire wire : unclaimed()) {
            if (left.remove(wire.id(), wire)) {
                remove(wire);
            }
        }
        for (Inet4Address address : List.copyOf(sleeping)) {
            if (sleeping.remove(address)) {
                release(address);
            }
        }
    }

    /** Keeps a machine's addresses while it sleeps; the listener hears of the first packet to any of them. */
    public Watch watch(Wire wire, Consumer<Knock> listener) {
        return gateway.watch(wire.surrender(), listener);
    }

    /** Keeps addresses of a machine that an earlier server watched. */
    public Watch watch(List<Inet4Address> addresses, Consumer<Knock> listener) {
        for (Inet4Address address : addresses) {
            if (!sleeping.remove(address)) {
                throw new BoxdException(ErrorCode.NOT_FOUND, "no machine was asleep at " + address.getHostAddress());
            }
        }
        return gateway.watch(addresses, listener);
    }

    /**
     * Takes an address that a machine of an earlier server had while it slept, so that it can be watched.
     *
     * @return false if it is somebody else's now
     */
    public boolean claim(Inet4Address address) {
        if (sleeping.contains(address)) {
            return true;
        }
        // After a restart of the host nothing of it is left but the machine's own memory of it.
        boolean ours = block.range().contains(Ipv4.number(address)) && block.acquire(block.slot(address));
        return ours && sleeping.add(address);
    }

    /** A machine is not reached at these addresses any more; its wire's own stays with the wire. */
    public void release(Wire wire, List<Inet4Address> addresses) {
        List<Inet4Address> others =
                addresses.stream().filter(one -> !one.equals(wire.address())).toList();
        wire.refuse(others);
        others.forEach(address -> {
            gateway.drop(address);
            block.release(block.slot(address));
        });
    }

    /** Ends a watch whose machine will never be back. */
    public void abandon(Watch watch) {
        watch.addresses().forEach(this::release);
    }

    private void release(Inet4Address address) {
        gateway.forget(address);
        block.release(block.slot(address));
    }

    /** Waits until as many wires are ready as the pool holds. */
    public void awaitPool(Deadline deadline) {
        pool.awaitFull(deadline);
    }

    /** Where machines see their host, and from where the host dials them. */
    public Inet4Address hostAddress() {
        return block.own();
    }

    /** Addresses of this instance. */
    public Ipv4Range range() {
        return block.range();
    }

    AddressBlock block() {
        return block;
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        List<Wire> idle = new ArrayList<>(pool.drain());
        idle.forEach(this::remove);
        resolver.close();
        boolean nothingLeft =
                handedOut.isEmpty() && left.isEmpty() && gateway.routedHere().isEmpty();
        gateway.close();
        handedOut.values().forEach(Wire::close);
        left.values().forEach(Wire::close);
        if (nothingLeft) {
            clear(config, names);
        }
        block.close();
    }

    /** Takes away what the instance has on the host besides wires, unless wires are still there. */
    private static void clear(WireConfig config, WireNames names) {
        if (!names.namespaceSlots().isEmpty()) {
            return;
        }
        Deadline deadline = Deadline.inSeconds(REMOVING_SECONDS);
        Forwarding.restore(config.registry(), names);
        if (Interfaces.exists(names.gateway())) {
            NetworkTools.prompt().ip(List.of("link delete " + names.gateway()), deadline);
        }
        NetworkTools.prompt().nft(HostRules.removal(names), deadline);
    }
}
