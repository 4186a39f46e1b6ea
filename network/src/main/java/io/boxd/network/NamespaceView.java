package io.boxd.network;

import io.boxd.common.Deadline;
import io.boxd.linux.Netlink;
import io.boxd.linux.NetworkNamespace;
import java.nio.file.Path;

/** What the kernel tells about a wire's namespace, asked from outside of it. */
record NamespaceView(DropCounters counters, TapLink tap) implements AutoCloseable {
    static NamespaceView open(Path namespace, Deadline deadline) {
        return NetworkNamespace.inside(
                namespace,
                () -> new NamespaceView(
                        new DropCounters(Netlink.open(Netlink.Family.NETFILTER)),
                        new TapLink(Netlink.open(Netlink.Family.ROUTE))),
                deadline);
    }

    @Override
    public void close() {
        counters.close();
        tap.close();
    }
}
