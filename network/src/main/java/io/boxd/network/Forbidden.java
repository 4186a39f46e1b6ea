package io.boxd.network;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Destinations that no machine ever reaches, whatever its policy. */
final class Forbidden {
    /** Private, shared, local, documentation, benchmark, multicast and reserved ranges. */
    static final List<Ipv4Range> RANGES = Stream.of(
                    "0.0.0.0/8",
                    "10.0.0.0/8",
                    "100.64.0.0/10",
                    "127.0.0.0/8",
                    "169.254.0.0/16",
                    "172.16.0.0/12",
                    "192.0.0.0/24",
                    "192.0.2.0/24",
                    "192.88.99.0/24",
                    "192.168.0.0/16",
                    "198.18.0.0/15",
                    "198.51.100.0/24",
                    "203.0.113.0/24",
                    "224.0.0.0/3")
            .map(Ipv4Range::parse)
            .toList();

    private Forbidden() {}

    /** For nftables, with the addresses of the instance if they lie outside of the others. */
    static String set(Ipv4Range instance) {
        Stream<Ipv4Range> own =
                RANGES.stream().anyMatch(range -> range.overlaps(instance)) ? Stream.empty() : Stream.of(instance);
        return Stream.concat(RANGES.stream(), own)
                .map(Ipv4Range::toString)
                .collect(Collectors.joining(", ", "{ ", " }"));
    }
}
