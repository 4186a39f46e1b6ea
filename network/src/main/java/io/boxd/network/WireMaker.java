package io.boxd.network;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.NetworkNamespace;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Makes wires, and takes them apart.
 *
 * <p>The order is what makes it safe: rules first, then a look at whether they are there, and only then
 * is a link raised. A wire that fails on the way is removed.
 */
final class WireMaker {
    private final WireNames names;
    private final AddressBlock block;
    private final WireConfig config;
    private final UnaryOperator<Ruleset> change;

    WireMaker(WireNames names, AddressBlock block, WireConfig config) {
        this(names, block, config, UnaryOperator.identity());
    }

    /** With other rules than those that are looked for, which only a test may want. */
    WireMaker(WireNames names, AddressBlock block, WireConfig config, UnaryOperator<Ruleset> change) {
        this.names = names;
        this.block = block;
        this.config = config;
        this.change = change;
    }

    Wire make(NetworkTools tools, Deadline deadline) {
        int slot = block.acquire();
        String id = WireNames.id(slot);
        try {
            Inet4Address address = block.address(slot);
            tools.ip(hostSide(id, address), deadline);
            Switches.setAll(Switches.ofHostInterface(names.hostInterface(id)));
            tools.ipIn(names.namespace(id), inside(address), deadline);
            switchInside(id, deadline);
            tools.nftIn(namespace(id), change.apply(rules(address)).script(), deadline);
            confirm(id, address, tools, deadline);
            tools.ipIn(names.namespace(id), raise(), deadline);
            return wire(id, address, deadline);
        } catch (RuntimeException e) {
            remove(id, Deadline.inSeconds(10));
            block.release(slot);
            throw e;
        }
    }

    /**
     * Takes over a wire that an earlier server made; its slot is then taken.
     *
     * <p>Rules that are not those of today are replaced in one transaction: there is no moment without.
     */
    Wire adopt(int slot, NetworkTools tools, Deadline deadline) {
        String id = WireNames.id(slot);
        Inet4Address address = block.address(slot);
        if (!Interfaces.exists(names.hostInterface(id))) {
            throw new BoxdException(ErrorCode.WRONG_STATE, "wire " + id + " has no end on the host");
        }
        Switches.setAll(Switches.ofHostInterface(names.hostInterface(id)));
        if (!problems(id, address, tools, deadline).isEmpty()) {
            tools.nftIn(namespace(id), change.apply(rules(address)).script(), deadline);
            confirm(id, address, tools, deadline);
        }
        tools.ipIn(names.namespace(id), raise(), deadline);
        if (!block.acquire(slot)) {
            throw new BoxdException(ErrorCode.WRONG_STATE, "wire " + id + " is in use");
        }
        return wire(id, address, deadline);
    }

    /** Removes the wire with this id, whatever there is of it. */
    void remove(String id, Deadline deadline) {
        List<String> lines = new ArrayList<>();
        // The host's end first: with it the wire is cut, and its routes and neighbours are gone.
        if (Interfaces.exists(names.hostInterface(id))) {
            lines.add("link delete " + names.hostInterface(id));
        }
        if (Files.exists(namespace(id))) {
            lines.add("netns delete " + names.namespace(id));
        }
        if (!lines.isEmpty()) {
            NetworkTools.prompt().ip(lines, deadline);
        }
    }

    private Wire wire(String id, Inet4Address address, Deadline deadline) {
        String hostInterface = names.hostInterface(id);
        NamespaceView view = NamespaceView.open(namespace(id), deadline);
        // What is sent over a pair before both its ends know of each other is lost.
        if (!LinkState.awaitUp(hostInterface, deadline) || !view.up().awaitUp(deadline)) {
            view.close();
            throw deadline.exceeded("raising wire " + id);
        }
        return new Wire(id, namespace(id), hostInterface, Interfaces.index(hostInterface), address, view);
    }

    private Path namespace(String id) {
        return WireNames.NAMESPACES.resolve(names.namespace(id));
    }

    Ruleset rules(Inet4Address address) {
        return NamespaceRules.of(
                names, address, block.own(), config.resolverPort(), block.range(), config.connections());
    }

    private List<String> hostSide(String id, Inet4Address address) {
        String device = names.hostInterface(id);
        String to = address.getHostAddress();
        return List.of(
                "netns add " + names.namespace(id),
                "link add " + device + " address " + Addresses.HOST_MAC + " type veth peer name " + WireNames.UP
                        + " address " + Addresses.UP_MAC + " netns " + names.namespace(id),
                "link set " + device + " up",
                "route add " + to + "/32 dev " + device + " src " + block.own().getHostAddress(),
                "neighbour add " + to + " lladdr " + Addresses.UP_MAC + " dev " + device + " nud permanent");
    }

    /** Everything but the links, which stay down. */
    private static List<String> inside(Inet4Address address) {
        String tap = WireNames.TAP;
        return List.of(
                "tuntap add dev " + tap + " mode tap vnet_hdr",
                "link set " + tap + " address " + Addresses.GATEWAY_MAC,
                "address add " + Addresses.GATEWAY + "/" + Addresses.INNER_PREFIX_LENGTH + " dev " + tap,
                "address add " + Addresses.RESOLVER + "/32 dev " + tap,
                "address add " + address.getHostAddress() + "/32 dev " + WireNames.UP);
    }

    private void switchInside(String id, Deadline deadline) {
        NetworkNamespace.inside(
                namespace(id),
                () -> {
                    Switches.setAll(Switches.OF_NAMESPACE);
                    return id;
                },
                deadline);
    }

    private void confirm(String id, Inet4Address address, NetworkTools tools, Deadline deadline) {
        List<String> problems = problems(id, address, tools, deadline);
        if (!problems.isEmpty()) {
            throw new BoxdException(
                    ErrorCode.INTERNAL,
                    "the rules of wire " + id + " are not as they should be: " + String.join("; ", problems),
                    "Its link stays down. Does anything else on this host change nftables in other namespaces?",
                    null);
        }
    }

    private List<String> problems(String id, Inet4Address address, NetworkTools tools, Deadline deadline) {
        return RulesCheck.problems(rules(address), tools.rulesIn(namespace(id), deadline), true);
    }

    /** Also if some of it was done before. */
    private List<String> raise() {
        String host = block.own().getHostAddress();
        return List.of(
                "link set " + WireNames.TAP + " up",
                "neighbour replace " + Addresses.GUEST + " lladdr " + Addresses.GUEST_MAC + " dev " + WireNames.TAP
                        + " nud permanent",
                "link set " + WireNames.UP + " up",
                "neighbour replace " + host + " lladdr " + Addresses.HOST_MAC + " dev " + WireNames.UP
                        + " nud permanent",
                "route replace " + host + "/32 dev " + WireNames.UP,
                "route replace default via " + host + " dev " + WireNames.UP);
    }
}
