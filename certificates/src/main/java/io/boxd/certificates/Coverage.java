package io.boxd.certificates;

import java.util.List;
import java.util.Optional;

/**
 * Which names one certificate holds together, so that there are few of them and nobody learns from their public lists
 * which boxes there are.
 *
 * @param wildcards whether whoever certifies does so for all names below one
 * @param others whether it also does for names that are not under the domain
 */
record Coverage(String domain, boolean wildcards, boolean others) {
    /** What the instance's own authority can certify. */
    static Coverage own(String domain) {
        // Clients do not believe a wildcard right below a top-level domain.
        return new Coverage(domain, domain.indexOf('.') >= 0, false);
    }

    static Coverage acme(String domain, Proof proof) {
        return new Coverage(domain, proof == Proof.DNS, true);
    }

    /** The names of the certificate for the domain. */
    List<String> ofDomain() {
        return wildcards ? List.of(domain, "*." + domain) : List.of(domain);
    }

    /** The names of the certificate that this host needs; none if it cannot be had here. */
    Optional<List<String>> of(String host) {
        if (host.equals(domain)) {
            return Optional.of(ofDomain());
        }
        if (!host.endsWith("." + domain)) {
            return others ? Optional.of(List.of(host)) : Optional.empty();
        }
        if (!wildcards) {
            return Optional.of(List.of(host));
        }
        String above = host.substring(host.indexOf('.') + 1);
        return Optional.of(above.equals(domain) ? ofDomain() : List.of("*." + above));
    }
}
