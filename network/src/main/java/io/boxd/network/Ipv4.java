package io.boxd.network;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;

/** IPv4 addresses as numbers and text; names are never looked up. */
final class Ipv4 {
    private static final Pattern FOUR_NUMBERS =
            Pattern.compile("(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(?:\\.(?!$)|$)){4}");

    private Ipv4() {}

    static Inet4Address of(int number) {
        try {
            return (Inet4Address) InetAddress.getByAddress(
                    ByteBuffer.allocate(4).putInt(number).array());
        } catch (UnknownHostException e) {
            throw new AssertionError("four bytes are an address", e);
        }
    }

    static int number(InetAddress address) {
        return ByteBuffer.wrap(address.getAddress()).getInt();
    }

    /** Four decimal numbers with dots between them. */
    static int parse(String text) {
        // Checked before: Java would also take shorter forms, which few people read as it does.
        if (!FOUR_NUMBERS.matcher(text).matches()) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "not an IPv4 address: " + text);
        }
        return number(Inet4Address.ofLiteral(text));
    }
}
