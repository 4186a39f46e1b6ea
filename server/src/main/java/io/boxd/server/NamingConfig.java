package io.boxd.server;

import io.boxd.certificates.AcmeConfig;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How the names of an instance are answered and certified.
 *
 * @param dnsPort of UDP and TCP, 0 for any that is free; none: no DNS
 * @param doors to which addresses names lead; none: those at which the server listens
 * @param nameServers by which the domain is delegated here; none: ns1 and ns2 under it
 * @param certifiers who may issue certificates for the domain; none: anybody
 * @param acme who issues them; none: only the instance's own authority
 */
record NamingConfig(
        OptionalInt dnsPort,
        List<InetAddress> doors,
        List<String> nameServers,
        List<String> certifiers,
        Optional<AcmeConfig> acme) {
    NamingConfig {
        doors = List.copyOf(doors);
        nameServers = List.copyOf(nameServers);
        certifiers = List.copyOf(certifiers);
    }
}
