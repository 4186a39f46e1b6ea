package io.boxd.trust;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

/**
 * Whom a certificate is for.
 *
 * @param names host names by which it is reached, also with {@code *.} in front
 * @param validity from now on
 */
public record Subject(String commonName, List<String> names, List<InetAddress> addresses, Duration validity) {
    public Subject {
        names = List.copyOf(names);
        addresses = List.copyOf(addresses);
    }

    /** Somebody who is known by this name only, to others of the same authority. */
    public static Subject named(String name, Duration validity) {
        return new Subject(name, List.of(), List.of(), validity);
    }
}
