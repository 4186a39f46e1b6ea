package io.boxd.certificates;

import java.time.Instant;
import java.util.List;

/** Hears of what becomes of certificates; must never wait, nor fail. */
public interface CertificateWitness {
    /** There is one, from a certificate authority for everybody. */
    void issued(List<String> names, String issuer, Instant until);

    /** There is none; it is tried again. */
    void failed(List<String> names, String reason, Instant tryAgain);

    /** One was revoked because somebody said so. */
    void revoked(List<String> names);
}
