package io.boxd.network;

import io.boxd.common.Deadline;
import io.boxd.linux.Netlink;
import io.boxd.linux.NetworkNamespace;
import java.nio.file.Path;

/** What the kernel tells about a wire's namespace, asked from outside of it. */
record NamespaceView(DropCounters counters, LinkState tap) implements AutoCloseable {
    static NamespaceView open(Path namespace, Deadline deadline) {
        return NetworkNamespace.inside(
                namespace,
                () -> new NamespaceView(
                        new DropCounters(Netlink.open(Netlink.Family.NETFILTER)),
                        new LinkState(Netlink.open(Netlink.Family.ROUTE), WireNames.TAP)),
                deadline);
    }

    /** The wire's end in the namespace. */
    LinkState up() {
        return tap.beside(WireNames.UP);
    }

    @Override
    public void close() {
        counters.close();
        tap.close();
    }
}
