package io.boxd.ssh;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/** From where a connection comes, as limits count it: whoever has one IPv6 address has 2⁶⁴ of them. */
record Source(String text) {
    private static final int NETWORK_BYTES = 8;

    static Source of(SocketAddress remote) {
        if (!(remote instanceof InetSocketAddress address) || address.getAddress() == null) {
            return new Source("unknown");
        }
        return of(address.getAddress());
    }

    static Source of(InetAddress address) {
        if (!(address instanceof Inet6Address)) {
            return new Source(address.getHostAddress());
        }
        byte[] network = Arrays.copyOf(Arrays.copyOf(address.getAddress(), NETWORK_BYTES), address.getAddress().length);
        try {
            return new Source(InetAddress.getByAddress(network).getHostAddress() + "/64");
        } catch (UnknownHostException e) {
            throw new AssertionError("the length is that of an address", e);
        }
    }

    /** The address alone, for the audit. */
    static String address(SocketAddress remote) {
        return remote instanceof InetSocketAddress address && address.getAddress() != null
                ? address.getAddress().getHostAddress()
                : "unknown";
    }
}
