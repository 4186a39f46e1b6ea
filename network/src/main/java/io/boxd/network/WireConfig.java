package io.boxd.network;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * How an instance's wires are to be.
 *
 * @param home of the instance; its name decides about the names of everything on the host
 * @param registry where all instances on this host agree on addresses
 * @param range where instances take their addresses from; never routed beyond this host
 * @param pool how many wires are kept ready
 * @param uplinks interfaces that lead to the internet; empty: those of the default routes
 * @param resolvers that queries are forwarded to; empty: those of /etc/resolv.conf
 * @param resolverPort where our own resolver listens, on the instance's address
 */
public record WireConfig(
        Path home,
        Path registry,
        Ipv4Range range,
        int pool,
        List<String> uplinks,
        List<InetSocketAddress> resolvers,
        int resolverPort) {
    /** Shared address space: the same that carriers use behind their own gateways. */
    public static final Ipv4Range DEFAULT_RANGE = Ipv4Range.parse("100.124.0.0/14");

    public static final int DEFAULT_RESOLVER_PORT = 5053;

    public WireConfig {
        uplinks = List.copyOf(uplinks);
        resolvers = List.copyOf(resolvers);
    }

    /** Everything found out from the host. */
    public static WireConfig of(Path home, Path registry, int pool) {
        return new WireConfig(home, registry, DEFAULT_RANGE, pool, List.of(), List.of(), DEFAULT_RESOLVER_PORT);
    }
}
