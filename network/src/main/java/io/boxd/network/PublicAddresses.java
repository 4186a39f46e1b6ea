package io.boxd.network;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;

/** Which addresses lie in the internet, and not on this host, in a private network or in one for special purposes. */
public final class PublicAddresses {
    /**
     * Neighbouring IPv6 addresses that share their first bits.
     *
     * @param start the first half of the lowest of them; no range here is smaller than that
     */
    private record Range(long start, int bits) {
        static Range of(String address, int bits) {
            return new Range(firstHalf(InetAddress.ofLiteral(address)), bits);
        }

        boolean contains(InetAddress address) {
            return (start ^ firstHalf(address)) >>> (Long.SIZE - bits) == 0;
        }

        private static long firstHalf(InetAddress address) {
            return ByteBuffer.wrap(address.getAddress()).getLong();
        }
    }

    /** All of the internet's IPv6. */
    private static final Range GLOBAL = Range.of("2000::", 3);

    /** Those of them that are for protocols and documents, or that hide an address of IPv4. */
    private static final List<Range> SPECIAL =
            List.of(Range.of("2001::", 23), Range.of("2001:db8::", 32), Range.of("2002::", 16), Range.of("3fff::", 20));

    private PublicAddresses() {}

    public static boolean contain(InetAddress address) {
        if (address instanceof Inet4Address four) {
            int number = Ipv4.number(four);
            return Forbidden.RANGES.stream().noneMatch(range -> range.contains(number));
        }
        return GLOBAL.contains(address) && SPECIAL.stream().noneMatch(range -> range.contains(address));
    }
}
