package io.boxd.guest;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * Something in a machine that listens on a TCP port.
 *
 * @param address where it listens inside the machine, perhaps everywhere; means nothing to this host
 * @param pid its process, or 0 if that could not be found
 */
public record PortListener(InetAddress address, int port, long uid, long pid, String process) {
    private static final int ADDRESS_BYTES = 16;
    private static final int ADDRESS_BYTES_V4 = 4;

    /** Whether it can be reached from inside the machine only. */
    public boolean loopback() {
        return address.isLoopbackAddress();
    }

    static PortListener parse(PayloadReader reader) throws ProtocolException {
        int version = reader.u8();
        byte[] bytes = reader.bytes(ADDRESS_BYTES);
        if (version != 4 && version != 6) {
            throw new ProtocolException("no such version of addresses: " + version);
        }
        byte[] address = version == 4 ? Arrays.copyOf(bytes, ADDRESS_BYTES_V4) : bytes;
        return new PortListener(
                address(address), reader.u16(), reader.u32(), reader.u32(), reader.text(Wire.MAX_PROCESS_NAME_BYTES));
    }

    private static InetAddress address(byte[] bytes) throws ProtocolException {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new ProtocolException("no address has " + bytes.length + " bytes");
        }
    }
}
