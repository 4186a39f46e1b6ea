package io.boxd.network;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
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
 * @param connections how many a machine may have opened at a time
 */
public record WireConfig(
        Path home,
        Path registry,
        Ipv4Range range,
        int pool,
        List<String> uplinks,
        List<InetSocketAddress> resolvers,
        int resolverPort,
        int connections) {
    /** Shared address space: the same that carriers use behind their own gateways. */
    public static final Ipv4Range DEFAULT_RANGE = Ipv4Range.parse("100.124.0.0/14");

    public static final int DEFAULT_RESOLVER_PORT = 5053;

    /** Below the default of a host's table, which all machines share; beyond what one needs. */
    public static final int DEFAULT_CONNECTIONS = 4096;

    public WireConfig {
        uplinks = List.copyOf(uplinks);
        resolvers = List.copyOf(resolvers);
        if (connections < 1) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a machine cannot have " + connections + " connections at a time",
                    "Allow at least one; a machine that is to reach nothing needs another policy.",
                    null);
        }
    }

    /** Everything found out from the host. */
    public static WireConfig of(Path home, Path registry, int pool) {
        return new WireConfig(
                home, registry, DEFAULT_RANGE, pool, List.of(), List.of(), DEFAULT_RESOLVER_PORT, DEFAULT_CONNECTIONS);
    }

    /** The same with another limit for the connections of a machine. */
    public WireConfig withConnections(int most) {
        return new WireConfig(home, registry, range, pool, uplinks, resolvers, resolverPort, most);
    }
}
