package io.boxd.guest;

import java.net.InetAddress;

/**
 * Something in a machine that listens on a TCP port.
 *
 * @param address where it listens inside the machine, perhaps everywhere; means nothing to this host
 * @param pid its process, or 0 if that could not be found
 */
public record PortListener(InetAddress address, int port, long uid, long pid, String process) {
    /** Whether it can be reached from inside the machine only. */
    public boolean loopback() {
        return address.isLoopbackAddress();
    }

    static PortListener parse(PayloadReader reader) throws ProtocolException {
        return new PortListener(
                reader.address(), reader.u16(), reader.u32(), reader.u32(), reader.text(Wire.MAX_PROCESS_NAME_BYTES));
    }
}
