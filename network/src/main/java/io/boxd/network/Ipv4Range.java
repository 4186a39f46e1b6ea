package io.boxd.network;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;

/**
 * Neighbouring IPv4 addresses that share their first bits.
 *
 * @param first the lowest address
 * @param prefixLength how many bits are the same in all of them
 */
public record Ipv4Range(int first, int prefixLength) {
    public Ipv4Range {
        if (prefixLength < 0 || prefixLength > 32 || (first & ~mask(prefixLength)) != 0) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT, "not a range of addresses: " + Ipv4.of(first) + "/" + prefixLength);
        }
    }

    /** A range as ADDRESS/BITS. */
    public static Ipv4Range parse(String text) {
        int slash = text.indexOf('/');
        try {
            return new Ipv4Range(Ipv4.parse(text.substring(0, slash)), Integer.parseInt(text.substring(slash + 1)));
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "not a range of addresses: " + text,
                    "Write it as ADDRESS/BITS, for example 100.124.0.0/14.",
                    e);
        }
    }

    static int mask(int prefixLength) {
        return prefixLength == 0 ? 0 : -1 << (32 - prefixLength);
    }

    boolean contains(int address) {
        return (address & mask(prefixLength)) == first;
    }

    boolean overlaps(Ipv4Range other) {
        int shorter = mask(Math.min(prefixLength, other.prefixLength));
        return (first & shorter) == (other.first & shorter);
    }

    /** One of the equal parts that this range is made of. */
    Ipv4Range part(int number, int partPrefixLength) {
        return new Ipv4Range(first + (number << (32 - partPrefixLength)), partPrefixLength);
    }

    @Override
    public String toString() {
        return Ipv4.of(first).getHostAddress() + "/" + prefixLength;
    }
}
