package io.boxd.network;

import io.boxd.linux.Netlink;
import io.boxd.linux.NetlinkAttributes;
import io.boxd.linux.NetlinkRequest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Reads the counters of a namespace's rules straight from the kernel, without starting a program. */
final class DropCounters implements AutoCloseable {
    private static final int GET_OBJECTS = (10 << 8) | 19;
    private static final int HEAD_BYTES = 4;
    private static final int OBJECT_NAME = 2;
    private static final int OBJECT_TYPE = 3;
    private static final int OBJECT_DATA = 4;
    private static final int TYPE_COUNTER = 1;
    private static final int COUNTER_PACKETS = 2;
    private static final Map<String, Drop> KINDS =
            Arrays.stream(Drop.values()).collect(Collectors.toMap(Drop::counter, Function.identity()));

    private final Netlink netlink;

    /** Of the namespace that the connection to the kernel was opened in. */
    DropCounters(Netlink netlink) {
        this.netlink = netlink;
    }

    Map<Drop, Long> read() {
        Map<Drop, Long> counted = new EnumMap<>(Drop.class);
        for (Drop kind : Drop.values()) {
            counted.put(kind, 0L);
        }
        // Of all families: each counter's name is unique in the namespace.
        NetlinkRequest request =
                NetlinkRequest.dump(GET_OBJECTS, new byte[HEAD_BYTES]).withBigEndian(OBJECT_TYPE, TYPE_COUNTER);
        for (ByteBuffer answer : netlink.ask("reading counters", request)) {
            NetlinkAttributes counter = NetlinkAttributes.after(HEAD_BYTES, answer);
            Drop kind = KINDS.get(counter.text(OBJECT_NAME).orElse(""));
            if (kind != null) {
                counted.put(kind, counter.nested(OBJECT_DATA).bigEndianLong(COUNTER_PACKETS));
            }
        }
        return counted;
    }

    @Override
    public void close() {
        netlink.close();
    }
}
