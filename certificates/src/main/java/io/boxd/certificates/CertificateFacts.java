package io.boxd.certificates;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How it stands with the certificate for some names.
 *
 * @param issuer who has certified the one that is shown
 * @param until when that one ends
 * @param renewAt when another is asked for
 * @param failure why the last try failed, if it did
 * @param failures in a row
 */
public record CertificateFacts(
        List<String> names, String issuer, Instant until, Instant renewAt, Optional<String> failure, int failures) {
    public CertificateFacts {
        names = List.copyOf(names);
    }

    static CertificateFacts of(
            List<String> names, X509Certificate shown, Instant renewAt, String failure, int failures) {
        return new CertificateFacts(
                names,
                shown.getIssuerX500Principal().getName(),
                shown.getNotAfter().toInstant(),
                renewAt,
                Optional.of(failure).filter(reason -> !reason.isEmpty()),
                failures);
    }
}
