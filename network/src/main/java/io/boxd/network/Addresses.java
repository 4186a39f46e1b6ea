package io.boxd.network;

/** What is the same on every wire: addresses inside, and hardware addresses of both its pairs. */
final class Addresses {
    static final String GUEST = "10.0.2.15";
    static final String GATEWAY = "10.0.2.2";
    static final String RESOLVER = "10.0.2.3";
    static final int INNER_PREFIX_LENGTH = 24;

    static final String GUEST_MAC = "02:00:0a:00:02:0f";

    /** Fixed, since a fork remembers the gateway of its source. */
    static final String GATEWAY_MAC = "02:00:0a:00:02:02";

    /** Of the pair between namespace and host; each pair is a network of its own, so all may be equal. */
    static final String HOST_MAC = "02:00:0a:fe:00:01";

    static final String UP_MAC = "02:00:0a:fe:00:02";

    private Addresses() {}

    static byte[] bytes(String mac) {
        return java.util.HexFormat.ofDelimiter(":").parseHex(mac);
    }
}
