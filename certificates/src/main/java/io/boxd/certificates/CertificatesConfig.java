package io.boxd.certificates;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What certificates an instance needs.
 *
 * @param folder where those of others, and their state, are kept; only root looks into it
 * @param domain under which boxes are
 * @param addresses by which the doors are reached without a name
 * @param acme who certifies names for everybody; none: only the instance's own authority
 */
public record CertificatesConfig(Path folder, String domain, List<InetAddress> addresses, Optional<AcmeConfig> acme) {
    public CertificatesConfig {
        addresses = List.copyOf(addresses);
    }
}
