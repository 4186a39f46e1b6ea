package io.boxd.dns;

import java.net.InetAddress;
import java.util.List;

/**
 * What holds for the whole domain.
 *
 * @param domain without a dot at its end
 * @param doors where the doors are, which is where all names lead
 * @param nameServers by which the domain is delegated here, such as {@code ns1.example.org}
 * @param certifiers who may issue certificates for it, such as {@code letsencrypt.org}; none: anybody
 */
public record ZoneConfig(String domain, List<InetAddress> doors, List<String> nameServers, List<String> certifiers) {
    public ZoneConfig {
        doors = List.copyOf(doors);
        nameServers = List.copyOf(nameServers);
        certifiers = List.copyOf(certifiers);
    }
}
