package io.boxd.network;

import io.boxd.common.Deadline;
import io.boxd.linux.Netlink;
import io.boxd.linux.NetlinkAttributes;
import io.boxd.linux.NetlinkRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Whether there is somebody at the other end of an interface: a machine at a tap, the other half of a pair.
 *
 * <p>Until the kernel has noticed, which it does in its own time, it drops all packets that are sent there.
 */
final class LinkState implements AutoCloseable {
    private static final int GET_LINK = 18;
    private static final int HEAD_BYTES = 16;
    private static final int NAME = 3;
    private static final int OPERATIONAL_STATE = 16;
    private static final byte UP = 6;

    private final Netlink netlink;
    private final String name;

    /** Of an interface in the namespace that the connection to the kernel was opened in. */
    LinkState(Netlink netlink, String name) {
        this.netlink = netlink;
        this.name = name;
    }

    /** Waits for an interface of the host. */
    static boolean awaitUp(String hostInterface, Deadline deadline) {
        try (LinkState link = new LinkState(Netlink.open(Netlink.Family.ROUTE), hostInterface)) {
            return link.awaitUp(deadline);
        }
    }

    /** Another interface in the same namespace, over the same connection to the kernel. */
    LinkState beside(String other) {
        return new LinkState(netlink, other);
    }

    boolean isUp() {
        NetlinkRequest request =
                NetlinkRequest.get(GET_LINK, new byte[HEAD_BYTES]).with(NAME, name);
        for (ByteBuffer answer : netlink.ask("the state of " + name, request)) {
            return NetlinkAttributes.after(HEAD_BYTES, answer)
                    .bytes(OPERATIONAL_STATE)
                    .map(state -> state.length == 1 && state[0] == UP)
                    .orElse(false);
        }
        return false;
    }

    /** False when the deadline came first. */
    boolean awaitUp(Deadline deadline) {
        while (!isUp()) {
            if (deadline.passed()) {
                return false;
            }
            // A matter of a millisecond, once somebody is there, unless the host is very busy.
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(500));
        }
        return true;
    }

    @Override
    public void close() {
        netlink.close();
    }
}
