package io.boxd.network;

import io.boxd.common.Deadline;
import io.boxd.linux.Netlink;
import io.boxd.linux.NetlinkAttributes;
import io.boxd.linux.NetlinkRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Whether a machine is plugged in at a wire's tap: until the kernel has noticed, it drops all packets. */
final class TapLink implements AutoCloseable {
    private static final int GET_LINK = 18;
    private static final int HEAD_BYTES = 16;
    private static final int NAME = 3;
    private static final int OPERATIONAL_STATE = 16;
    private static final byte UP = 6;

    private final Netlink netlink;

    /** In the namespace that the connection to the kernel was opened in. */
    TapLink(Netlink netlink) {
        this.netlink = netlink;
    }

    boolean isUp() {
        NetlinkRequest request =
                NetlinkRequest.get(GET_LINK, new byte[HEAD_BYTES]).with(NAME, WireNames.TAP);
        for (ByteBuffer answer : netlink.ask("the state of a tap", request)) {
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
            // A matter of a millisecond, once somebody has opened the tap.
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(500));
        }
        return true;
    }

    @Override
    public void close() {
        netlink.close();
    }
}
